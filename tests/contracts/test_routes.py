"""The census of routes: every address, every kind of asker, and what each is answered; an unlisted route fails."""

import re
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from pytest_django.fixtures import Settings

from core.models import ApiToken, Job, User
from core.policy import LIBRARY_VIEWS
from rating.models import Slot
from stimuli.models import Stimulus
from tests.factories import make_experiment, make_user, sit_down
from tests.people import bearing, browser_of, give_second_factor, token_of

# What an asker is answered: ok (anything below 400), in (led to sign-in), 2fa (led to its set-up), or the status.
# A second factor is required and everybody on the staff has one, except the factorless. What is asked for belongs to
# the participant (the visit) or to the owner (all else). The reader is a token of the owner's that may only read.
ANSWERS = """
              anonymous  participant  neighbour  owner  other  factorless  admin  reader
public        ok         ok           ok         ok     ok     ok          ok     ok
nobody        404        404          404        404    404    404         404    404
no-method     405        405          405        405    405    405         405    405
signed-in     in         in           in         ok     ok     ok          ok     in
signed-in-405 in         in           in         405    405    405         405    in
factor-owner  in         in           in         ok     ok     404         ok     in
staff         in         in           in         ok     ok     2fa         ok     in
staff-400     in         in           in         400    400    2fa         400    in
staff-405     in         in           in         405    405    2fa         405    in
owned         in         in           in         ok     404    2fa         ok     in
owned-400     in         in           in         400    404    2fa         400    in
own-token     in         in           in         ok     404    2fa         404    in
admin         in         in           in         403    403    2fa         ok     in
admin-400     in         in           in         403    403    2fa         400    in
admin-405     in         in           in         403    403    2fa         405    in
visit         401        ok           401        401    401    401         401    401
visit-400     401        400          401        401    401    401         401    401
visit-409     401        409          401        401    401    401         401    401
api           401        401          401        ok     ok     403         ok     ok
api-owned     401        401          401        ok     404    403         ok     ok
api-read-405  401        401          401        405    405    403         405    405
api-400       401        401          401        400    400    403         400    403
api-405       401        401          401        405    405    403         405    403
api-owned-422 401        401          401        422    404    403         422    403
"""

# One line a route: its name, the answers to GET, the answers to an empty POST.
ROUTES = """
core:home                             public         no-method
core:healthz                          public         no-method
core:account                          staff          staff-400
core:revoke_token                     staff-405      own-token
core:service                          admin          admin-405
core:retry_job                        admin-405      admin
core:audit                            admin          admin-405
core:people                           admin          admin-405
core:change_role                      admin-405      admin-400
stimuli:collections                   staff          staff-405
stimuli:collection                    owned          staff-405
stimuli:listen                        owned          staff-405
rating:experiments                    staff          staff-405
rating:new_experiment                 staff          staff
rating:experiment                     owned          staff-405
rating:state                          staff-405      owned
rating:share                          staff-405      owned-400
rating:unblind                        staff-405      owned-400
listening:join                        public         public
listening:visit                       visit          no-method
listening:receipt                     visit          no-method
listening:people                      owned          staff-405
listening:add_panel                   staff-405      owned-400
listening:add_invitations             staff-405      owned-400
analysis:results                      owned          staff-405
api:job                               api-owned      api-405
api:schema                            api            api-405
api:experiments                       api            api-400
api:experiment                        api-owned      api-405
api:unblinding                        api-read-405   api-owned-422
api:upcoming                          visit          no-method
api:votes                             no-method      visit-400
api:finish                            no-method      visit-409
api:media                             visit          no-method
api:result                            api-owned      api-405
api:votes_csv                         api-owned      api-405
account_login                         public         public
account_logout                        public         public
account_inactive                      public         no-method
account_signup                        nobody         nobody
account_reauthenticate                signed-in      signed-in
account_email                         nobody         nobody
account_email_verification_sent       nobody         nobody
account_change_password               signed-in      signed-in
account_set_password                  nobody         nobody
account_reset_password                nobody         nobody
account_confirm_login_code            nobody         nobody
account_confirm_email                 nobody         nobody
account_reset_password_from_key_done  nobody         nobody
account_reset_password_from_key       nobody         nobody
account_reset_password_done           nobody         nobody
mfa_index                             signed-in      signed-in-405
mfa_authenticate                      signed-in      signed-in
mfa_reauthenticate                    signed-in      signed-in
mfa_activate_totp                     signed-in      signed-in
mfa_deactivate_totp                   factor-owner   factor-owner
mfa_view_recovery_codes               factor-owner   signed-in-405
mfa_generate_recovery_codes           signed-in      signed-in
mfa_download_recovery_codes           factor-owner   factor-owner
set_language                          public         public
"""

ASKERS, *_lines = (line.split() for line in ANSWERS.strip().splitlines())
PATTERNS = {name: dict(zip(ASKERS, answers, strict=True)) for name, *answers in _lines}
TABLE = {route: (get, post) for route, get, post in (line.split() for line in ROUTES.strip().splitlines())}


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
        values = self.values | ({"slug": self.collection_slug} if route.name.startswith("stimuli:") else {}) | other
        return reverse(route.name, kwargs={name: values.get(name, "1") for name in route.arguments})


@pytest.fixture
def world(db: None, settings: Settings) -> World:
    settings.SECOND_FACTOR_REQUIRED = True
    owner, other, factorless, admin = make_user(), make_user(), make_user(), make_user(User.Role.ADMIN)
    for person in (owner, other, admin):
        give_second_factor(person)
    experiment = make_experiment(owner, seats=2)
    participant, neighbour = sit_down(experiment), sit_down(experiment)
    reader = bearing(token_of(owner, "read"))
    return World(
        askers={
            "anonymous": Client(),
            "participant": participant.client,
            "neighbour": neighbour.client,
            "owner": browser_of(owner),
            "other": browser_of(other),
            "factorless": browser_of(factorless),
            "admin": browser_of(admin),
            "reader": reader,
        },
        values={
            "slug": experiment.slug,
            "token": participant.link.split("/")[2],
            "visit_id": participant.visit.pk,
            "media_id": Slot.objects.filter(trial__ballot=participant.ballot)[0].media,
            "stimulus_id": Stimulus.objects.filter(item__collection=experiment.collection)[0].pk,
            "job_id": Job.objects.create(name="test", state="parked", requested_by=owner).pk,
            "token_id": ApiToken.objects.get().pk,
            "user_id": other.pk,
            "change": "pause",
            "method": "mos",
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
        return "in" if target.startswith(reverse("account_login")) else "ok"
    return "ok" if answer.status_code < 400 else str(answer.status_code)


def test_every_route_is_listed_and_every_listed_route_exists() -> None:
    existing = {route.name for route in EVERY_ROUTE if not route.in_admin}
    assert sorted(existing - set(TABLE)) == [], "routes that nobody has listed"
    assert sorted(set(TABLE) - existing) == [], "listed routes that do not exist"


def test_every_library_view_in_the_policy_exists() -> None:
    existing = {route.name for route in EVERY_ROUTE} | {"admin"}
    assert sorted(set(LIBRARY_VIEWS) - existing - {"mfa_trust"}) == []


def test_every_asker_is_answered_as_listed(world: World) -> None:
    wrong = []
    for route in EVERY_ROUTE:
        for method, pattern in zip(("GET", "POST"), TABLE.get(route.name, ()), strict=False):
            for asker, client in world.askers.items():
                listed, answered = PATTERNS[pattern][asker], ask(client, method, world.address(route))
                if answered != listed:
                    wrong.append(f"{method} {route.name} by {asker}: listed {listed}, answered {answered}")
    assert wrong == []


def test_the_django_admin_answers_admins_alone_and_changes_nothing(world: World) -> None:
    wrong = []
    kept_out = {"anonymous": "in", "participant": "in", "neighbour": "in", "owner": "403", "other": "403"}
    kept_out |= {"factorless": "2fa", "reader": "in"}
    for route in EVERY_ROUTE:
        if not route.is_admin_page:
            continue
        address = world.address(route, object_id="1", app_label="core")
        for method in ("GET", "POST"):
            answers = {asker: ask(world.askers[asker], method, address) for asker in kept_out}
            if answers != kept_out:
                wrong.append(f"{method} {route.name}: {answers}")
        writes = route.name.endswith(("_add", "_change", "_delete"))
        if writes and ask(world.askers["admin"], "POST", address) == "ok":
            wrong.append(f"POST {route.name} by admin is accepted")
    assert wrong == []


def test_every_route_of_an_experiment_is_closed_to_other_experimenters() -> None:
    """Read from the table, which the census has shown to be true."""
    open_routes = [
        route.name
        for route in EVERY_ROUTE
        if "slug" in route.arguments and not {PATTERNS[name]["other"] for name in TABLE[route.name]} <= {"404", "405"}
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
