"""Route table: every address, every kind of asker, and what each is answered; an unlisted route fails."""

import re
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, resolve, reverse
from django.utils import timezone
from pytest_django.fixtures import Settings

from core import pdf
from core.models import ApiToken, Job, User
from core.permissions import LIBRARY_VIEWS
from listening.models import Invitation
from listening.participation.services import media
from rating.models import Slot
from stimuli.models import Stimulus
from tests.contracts.routes import PATTERNS, TABLE
from tests.e2e.staff_pages import NO_PAGES, PUBLIC, listed_pages
from tests.factories import make_experiment, make_user, opened, sit_down
from tests.people import bearing, browser_of, give_second_factor, token_of
from tests.scale import ALL
from tests.stimuli.import_material import begin

BY_AUDIENCE = ("in", "2fa", "403")  # how a view keeps people out before it looks at what they ask


@dataclass(frozen=True)
class Route:
    name: str
    arguments: frozenset[str]

    @property
    def in_admin(self) -> bool:
        return self.name.startswith("admin:")

    @property
    def is_admin_page(self) -> bool:
        """Not the redirects without a name, and not the change of password, which is offered elsewhere."""
        return re.fullmatch(r"admin:\w+", self.name) is not None and "password_change" not in self.name


def walk(resolver: URLResolver, *names: str, arguments: frozenset[str] = frozenset()) -> Iterator[Route]:
    """Every route below a resolver; one without a name is called by its pattern."""
    for pattern in resolver.url_patterns:
        here = arguments | set(pattern.pattern.regex.groupindex)
        if isinstance(pattern, URLResolver):
            yield from walk(pattern, *names, *([pattern.namespace] if pattern.namespace else []), arguments=here)
        elif isinstance(pattern, URLPattern):
            yield Route(":".join([*names, pattern.name or str(pattern.pattern)]), here)


EVERY_ROUTE = list(walk(get_resolver("config.urls")))


@dataclass(frozen=True)
class World:
    askers: dict[str, Client]
    values: dict[str, Any]
    collection_slug: str

    def address(self, route: Route, **other: Any) -> str:
        of_collection = route.name.startswith(("stimuli:", "api:collection", "api:import"))
        values = self.values | ({"slug": self.collection_slug} if of_collection else {}) | other
        return reverse(route.name, kwargs={name: values.get(name, "1") for name in route.arguments})


@pytest.fixture
def world(shared_world: World, db: None, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> World:
    settings.SECOND_FACTOR_REQUIRED = True
    monkeypatch.setattr(pdf, "can_write_pdf", lambda: True)
    monkeypatch.setattr(pdf, "write_pdf", lambda html, **how: b"%PDF-")  # which need not be on this machine
    return shared_world


@pytest.fixture(scope="module")
def shared_world(module_db: None) -> World:
    owner, other, factorless, admin = make_user(), make_user(), make_user(), make_user(User.Role.ADMIN)
    for person in (owner, other, admin):
        give_second_factor(person)
    draft = make_experiment(owner, live=False, seats=2)
    upload = begin(draft.collection).files.get()
    experiment = opened(draft)
    participant, neighbour = sit_down(experiment), sit_down(experiment)
    reader = bearing(token_of(owner, "read"))
    slot = Slot.objects.filter(trial__ballot=participant.ballot).order_by("trial__position", "key")[0]
    staff = {"owner": owner, "other": other, "factorless": factorless, "admin": admin}
    browsers = {name: browser_of(person) for name, person in staff.items()}
    for browser in browsers.values():
        browser.get(reverse("core:account"))  # starts the clock of the session, which is then not written again
    return World(
        askers={
            "anonymous": Client(),
            "participant": participant.client,
            "neighbour": neighbour.client,
            **browsers,
            "reader": reader,
        },
        values={
            "slug": experiment.slug,
            "token": participant.link.split("/")[2],
            "visit_id": participant.visit.pk,
            "media_key": media.key_for(visit=participant.visit, media_id=slot.media, now=timezone.now()),
            "statistic": "max",
            "screening": "ears",
            "level": 0,
            "index": 0,
            "import_id": upload.parent_id,
            "upload_id": upload.pk,
            "stimulus_id": Stimulus.objects.filter(item__collection=experiment.collection)[0].pk,
            "item_id": experiment.collection.items.all()[0].pk,
            "job_id": Job.objects.create(name="test", state="failed", requested_by=owner).pk,
            "token_id": ApiToken.objects.get().pk,
            "link_id": Invitation.objects.all()[0].pk,
            "entry_id": experiment.pk,  # no entry has this id
            "user_id": other.pk,
            "change": "pause",
            "method": "mos",
            "name": "means.csv",
            "guide": "guides/experimenter",
            "language": "fr",
            "version": "any",
        },
        collection_slug=experiment.collection.slug,
    )


def ask(client: Client, method: str, address: str) -> str:
    """Ask and undo whatever the question changed, in the database and in the asker's cookies."""
    cookies, before = deepcopy(client.cookies), transaction.savepoint()
    form = "application/json" if address.startswith("/api/") else "multipart/form-data; boundary=BoUnDaRyStRiNg"
    answer = client.get(address) if method == "GET" else client.post(address, {}, form)
    transaction.savepoint_rollback(before)
    client.cookies = cookies
    if answer.status_code == 302:
        target = answer.headers["Location"]
        if target == reverse("mfa_activate_totp"):
            return "2fa"
        if target.startswith(reverse("account_login")):
            return "in"
        page = getattr(resolve(address).func, "page", None) if method == "GET" else None
        return "page" if page and resolve(target).view_name == page else "ok"
    return "ok" if answer.status_code < 400 else str(answer.status_code)


def telling(route: Route, method: str, turn: int) -> dict[str, str]:
    """One asker for each answer that is listed, another one at every turn; with --all everybody.

    Who is kept out by the audience of a view is so with every method, and is asked for with one of them. Pages of the
    staff are opened by those who may in tests/core/test_help.py and, all of them, in tests/e2e/test_accessibility.py,
    and their forms are filled in wrongly in test_forms.py, which lists where other forms are.
    """
    of = {name: PATTERNS[pattern] for name, pattern in zip(("GET", "POST"), TABLE.get(route.name, ()), strict=False)}
    answers = of.get(method, {})
    if ALL:
        return answers
    alike: dict[str, list[str]] = {}
    for asker, answer in answers.items():
        alike.setdefault(answer, []).append(asker)
    for place, answer in enumerate(BY_AUDIENCE):
        if all(answer in each.values() for each in of.values()) and method != ("GET", "POST")[(turn + place) % 2]:
            alike.pop(answer, None)
    if method == "GET" and route.name in listed_pages() - PUBLIC - NO_PAGES.keys():
        alike.pop("ok", None)
    if method == "POST" and ":" in route.name and not route.name.startswith("api:"):
        alike.pop("400", None)
    return {askers[turn % len(askers)]: answer for answer, askers in alike.items()}


def test_every_route_is_listed_and_every_listed_route_exists() -> None:
    existing = {route.name for route in EVERY_ROUTE if not route.in_admin}
    assert sorted(existing - set(TABLE)) == [], "routes that nobody has listed"
    assert sorted(set(TABLE) - existing) == [], "listed routes that do not exist"


def test_every_library_view_in_the_policy_exists() -> None:
    existing = {route.name for route in EVERY_ROUTE} | {"admin"}
    assert sorted(set(LIBRARY_VIEWS) - existing - {"mfa_trust"}) == []


def test_every_asker_is_answered_as_listed(world: World) -> None:
    wrong = []
    for turn, route in enumerate(EVERY_ROUTE):
        for method in ("GET", "POST"):
            for asker, listed in telling(route, method, turn).items():
                answered = ask(world.askers[asker], method, world.address(route))
                if answered != listed:
                    wrong.append(f"{method} {route.name} by {asker}: listed {listed}, answered {answered}")
    assert wrong == []


def test_the_django_admin_answers_admins_alone_and_changes_nothing(world: World) -> None:
    wrong = []
    kept_out = {"anonymous": "in", "participant": "in", "neighbour": "in", "owner": "403", "other": "403"}
    kept_out |= {"factorless": "2fa", "reader": "in"}
    for turn, route in enumerate(route for route in EVERY_ROUTE if route.is_admin_page):
        address = world.address(route, object_id="1", app_label="core")
        # One rule stands for all of these pages, so each is asked for once by one of them; with --all by everybody.
        asker = list(kept_out)[turn % len(kept_out)]
        listed = kept_out if ALL else {asker: kept_out[asker]}
        for method in ("GET", "POST") if ALL else (("GET", "POST")[turn % 2],):
            answers = {asker: ask(world.askers[asker], method, address) for asker in listed}
            if answers != listed:
                wrong.append(f"{method} {route.name}: {answers}")
        writes = route.name.endswith(("_add", "_change", "_delete"))
        if writes and ask(world.askers["admin"], "POST", address) == "ok":
            wrong.append(f"POST {route.name} by admin is accepted")
    assert wrong == []


def test_every_route_of_an_experiment_is_closed_to_other_experimenters() -> None:
    """Read from the table, which the test above has shown to be true."""
    open_routes = [
        route.name
        for route in EVERY_ROUTE
        if "slug" in route.arguments
        and not {PATTERNS[name]["other"] for name in TABLE[route.name]} <= {"404", "405", "page"}
    ]
    assert open_routes == []


def test_what_is_not_yours_answers_exactly_as_what_does_not_exist(world: World) -> None:
    other = world.askers["other"]
    for route in EVERY_ROUTE:
        if "slug" not in route.arguments or PATTERNS[TABLE[route.name][0]]["other"] != "404":
            continue
        foreign, missing = world.address(route), world.address(route, slug="no-such-thing")
        seen = other.get(foreign, headers={"accept": "application/json"}).json()
        unseen = other.get(missing, headers={"accept": "application/json"}).json()
        assert seen["code"] == unseen["code"], route.name
