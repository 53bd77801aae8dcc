"""Forms of the staff's pages: a post that succeeds redirects, a refused one shows its page with the reason."""

import re
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from core.models import User
from core.services.password_links import make_link
from listening.models import Exclusion, Invitation, Seat
from listening.panels.services.exclusions import Target, exclude
from rating.models import Experiment
from rating.services.label_sets import copy_label_set
from rating.services.votes import cast_vote
from stimuli.models import Collection, Import, Stimulus
from tests.contracts.routes import PATTERNS, TABLE
from tests.contracts.sent_forms import form_with_error
from tests.contracts.test_routes import EVERY_ROUTE
from tests.factories import make_experiment, make_panel_experiment, make_user, seated_visit, vote_event
from tests.people import browser_of, give_second_factor
from tests.stimuli.import_material import begin

pytestmark = pytest.mark.django_db
Make = Callable[[], Experiment]
LONG = "x" * 600  # longer than any line may be


@dataclass(frozen=True)
class Form:
    """One form: what it sends, and what is wrong in the field that the error must stand beside."""

    good: dict[str, Any]
    wrong: dict[str, Any] = field(default_factory=dict)  # nothing: the form has no field that can be filled in wrongly
    make: Make = lambda: make_experiment(make_user(User.Role.ADMIN), seats=2)
    led_back: bool = False  # an error leads to a page that shows the fields from its address


def draft() -> Experiment:
    return make_experiment(make_user(User.Role.ADMIN), live=False)


def asking_draft() -> Experiment:
    question = {"key": "mood", "kind": "yes_no", "text": "How are you?", "place": "before"}
    return make_experiment(make_user(User.Role.ADMIN), live=False, questions=[question])


def own_labels_draft() -> Experiment:
    experiment = draft()
    copy_label_set(experiment=experiment, actor=experiment.owner, source="acr-en-1", language="pt")
    return experiment


def designed_draft() -> Experiment:
    return make_panel_experiment(make_user(User.Role.ADMIN))


def with_a_taken_seat() -> Experiment:
    experiment = make_experiment(make_user(User.Role.ADMIN), seats=1)
    seated_visit(experiment)
    return experiment


def with_an_exclusion() -> Experiment:
    """Of the first of two listeners; the second can be excluded."""
    experiment = make_experiment(make_user(User.Role.ADMIN), seats=2)
    for _ in range(2):
        ballot = seated_visit(experiment).seat.ballot
        cast_vote(ballot_id=ballot.pk, event=vote_event(ballot.trials.unanswered()[0]))
    exclude(experiment=experiment, actor=experiment.owner, target=Target(listener="sub-0001"), reason="late")
    return experiment


def on_paper() -> Experiment:
    return make_experiment(make_user(User.Role.ADMIN), protocol="tcsd_plane", seats=1)


TEXTS = {"title": "Another title", "consent_text": "I agree.", "reason": "a typo"}
SETTINGS = {"rest_s": 30, "lease_hours": 12, "headphone_screen": "off", "completion_url": ""}
DESIGN = {"preset": "crossed", "panels": 1, "seats": 2, "size": 4, "sessions": 2, "seed": "7"}
WORDS = {"language": "pt", "QUALITY-question": "Como era a qualidade?"} | {
    f"QUALITY-{n}": f"word {n}" for n in range(5)
}
QUESTION = {"text": "How are you?", "kind": "yes_no", "place": "before", "required": "on", "key": "mood"}
FORMS = {
    "core:account": Form({"name": "notebook", "scopes": ["read"], "days": 7}, {"days": 9999}),
    "core:change_role": Form({"role": "admin", "reason": "new"}, {"reason": LONG}),
    "core:change_email": Form({"email": "erin@example.org"}, {"email": "not an address"}),
    "core:remove_second_factor": Form({"reason": "telephone lost"}, {"reason": LONG}),
    "core:invite": Form({"name": "erin", "email": "", "role": "experimenter"}, {"name": "e rin"}),
    "core:deactivate": Form({"reason": "left"}, {"reason": LONG}),
    "stimuli:item": Form({"change": "exclude", "reason": "noise"}, {"reason": LONG}, make=draft),
    "stimuli:correct_import": Form(
        {"change": "leave-out", "path": ["C0/a.wav"], "reason": "noise"}, {"reason": LONG}, make=draft
    ),
    "stimuli:set_quota": Form({"quota_gb": 5}, {"quota_gb": -1}),
    "stimuli:settings": Form({"title": "Another title"}, {"title": LONG}),
    "stimuli:normalise": Form({"target_lufs": -30, "slug": "copy", "title": "Copy"}, {"slug": "not a slug"}),
    "stimuli:new_collection": Form({"slug": "sounds", "title": "Sounds"}, {"slug": "not a slug"}),
    "stimuli:copy": Form({"slug": "copy-of-sounds", "title": "Copy"}, {"slug": "not a slug"}),
    "rating:settings": Form(TEXTS, {"title": LONG}),
    "rating:options": Form({"plays_allowed": 1, "practice": 0}, {"practice": "many"}, make=draft),
    "rating:own_labels": Form(WORDS, {"QUALITY-question": LONG}, make=own_labels_draft),
    "rating:share": Form({"colleague": "colleague", "role": "viewer"}, {"colleague": "nobody-of-this-name"}),
    "rating:transfer": Form({"colleague": "colleague", "with_collection": "on"}, {"colleague": "nobody-of-this-name"}),
    "rating:unblind": Form({"reason": "all have listened", "confirmed": "1"}, {"reason": LONG}),
    "rating:delete": Form({"typed": "the-slug"}, {"typed": "something else"}, make=draft),
    "listening:add_panel": Form({"seats": 2, "reason": "more data"}, {"seats": 501}),
    "listening:checks": Form({"repeats": 1}, {"repeats": 999}, make=draft),
    "listening:extend": Form({"panel": 1, "seats": 2, "reason": "more data"}, {"seats": 501}),
    "listening:add_invitations": Form({"count": 2}, {"count": 501}),
    "listening:simulations": Form({"listeners": 1, "seed": "1"}, {"listeners": 99}),
    "listening:rehearse": Form({"count": 2}, {"count": 21}),
    "listening:preview": Form({"panel": 1, "seat": 1, "from_session": 0}, {"seat": 99}),
    "listening:reissue": Form({"reason": "ill"}, {"reason": LONG}, make=with_a_taken_seat),
    "listening:session_settings": Form(SETTINGS, {"completion_url": "http://example.org/unsafe"}, make=draft),
    "listening:monitor_alert": Form({"by_email": "on", "address": "erin@example.org"}, {"address": "not an address"}),
    "listening:adopt_design": Form(DESIGN, {"seats": 9999}, make=designed_draft, led_back=True),
    "listening:paper": Form({"agreed": "on"}, make=on_paper),
    "listening:rename_link": Form({"label": "P07"}, {"label": LONG}, make=with_a_taken_seat),
    "listening:mail": Form(
        {"panel": 1, "recipients": "anna@example.org", "subject": "Test", "text": "{link}"}, {"subject": "{name}"}
    ),
    "listening:new_question": Form(QUESTION, {"text": LONG}, make=draft),
    "listening:question": Form(QUESTION, {"text": LONG}, make=asking_draft),
    "listening:reminder": Form({"whom": "unopened", "subject": "Test", "text": "{link}"}, {"subject": "{name}"}),
    "analysis:exclusions": Form(
        {"whom": "sub-0002", "what": "trial", "position": 1, "reason": "a door"},
        {"position": 99},
        make=with_an_exclusion,
    ),
    "analysis:plan": Form({"scale": "QUALITY", "model": "mixed", "rule_p913": 0.75}, {"rule_p913": 9}, make=draft),
    "analysis:lift_exclusion": Form({"reason": "was awake"}, {"reason": LONG}, make=with_an_exclusion),
    # Nothing is typed here: a button alone.
    "rating:labels": Form({"use": "acr-fr-1"}, make=draft),
    "rating:copy_labels": Form({"source": "acr-en-1"}, make=draft),
    "rating:approve_labels": Form({}, make=own_labels_draft),
    "rating:delete_labels": Form({}, make=own_labels_draft),
    "listening:questions": Form({"ready": ["age_band"]}, make=draft),
    "listening:move_question": Form({"to": "up"}, make=asking_draft),
    "listening:remove_question": Form({}, make=asking_draft),
    "analysis:remove_metrics": Form({}),
    "core:retry_jobs": Form({"name": "test"}),
    "core:cancel_jobs": Form({"name": "test"}),
    "core:make_password_link": Form({}),
    "core:make_copy": Form({}),
    "core:try_restore": Form({}),
    "core:reactivate": Form({}),
    "rating:state": Form({}),
    "rating:unshare": Form({}),
    "rating:archive": Form({}),
    "listening:copy": Form({}),
    "listening:open_link": Form({}),
    "listening:close_links": Form({}),
    "listening:send_mail": Form({}),
    "listening:forget_mail": Form({}),
    "listening:revoke_link": Form({}, make=with_a_taken_seat),
    "listening:remove_seats": Form({}, make=lambda: make_experiment(make_user(User.Role.ADMIN), live=False, seats=1)),
    "stimuli:confirm_import": Form({}, make=draft),
    "stimuli:cancel_import": Form({}, make=draft),
}
ABOUT_OTHERS = ("core:deactivate", "core:remove_second_factor")  # refused for one's own account
EXCEPTIONS = {
    "analysis:fit_ordinal": "a button, tests/analysis/test_ordinal_fit.py",
    "analysis:write_report_pdf": "a button, tests/analysis/test_experiment_report.py",
    "analysis:use_rule": "a button beside a threshold, tests/analysis/test_exclusions.py",
    "analysis:metrics": "needs a file, tests/analysis/metrics/test_metrics_page.py",
    "analysis:table": "a file is analysed and nothing is stored, so the answer is the only place of the result",
    "rating:preview_text": "answers a script with a piece of a page, and changes nothing",
    "rating:new_experiment": "its page is tested with its form, tests/rating/test_creation.py",
    "rating:restore": "a button of the bin, tests/rating/test_disposal.py",
    "core:download_copy": "answers with a file: a post, because the audit log says who took it",
    "core:revoke_token": "a button, tests/core/test_tokens.py",
    "stimuli:clock": "rows that depend on each other, tests/stimuli/test_clocks.py",
    "listening:paper_sheet": "needs a sheet, tests/listening/panels/test_paper.py",
    "listening:finish_paper": "a button, tests/listening/panels/test_paper.py",
    "listening:from_elsewhere": "needs a file, tests/listening/elsewhere/test_elsewhere.py",
    "listening:from_file": "needs a file, tests/listening/experiment_file/test_file_pages.py",
    "listening:workbook": "needs a file, tests/listening/panels/test_workbooks.py",
    "listening:first_seats": "a number and a button of the overview, tests/listening/panels/test_first_steps.py",
    "listening:finish_workbook": "a button, tests/listening/panels/test_workbooks.py",
    "listening:remove_simulation": "a button, tests/listening/panels/test_simulated_copies.py",
    "listening:workbook_file": "answers with a file: a post, because making it keeps the seat",
    "listening:workbooks_zip": "answers with a file: a post, because making it keeps the seats",
}


OF_PARTICIPANTS = {
    "core:set_password": "below",
    "listening:join": "a box to tick, or a code, tests/listening/participation/test_landing.py and test_takeover.py",
    "listening:questionnaire": "what was given is kept, tests/listening/participation/test_questionnaires.py",
    "listening:withdraw": "a button, tests/listening/participation/test_withdrawal.py",
}


def test_every_post_is_listed() -> None:
    """Of our own pages; those of the sign-in library have their own forms."""
    own = {name for name in TABLE if ":" in name and not name.startswith("api:")}
    posts = {name for name in own if PATTERNS[TABLE[name][1]]["admin"] != "405"}
    assert sorted(posts ^ {*FORMS, *EXCEPTIONS, *OF_PARTICIPANTS}) == []


def _colleague() -> User:
    colleague = make_user()
    give_second_factor(colleague)
    return colleague


def address(route: str, experiment: Experiment) -> str:
    """Where the form is sent."""
    collection: Collection = experiment.collection
    seats = Seat.objects.filter(panel__experiment=experiment).order_by("number")
    values = {
        "slug": collection.slug if route.startswith("stimuli:") else experiment.slug,
        "number": 1,
        "place": seats.values_list("number", flat=True).first() or 1,
        "change": "pause",
        "key": "mood",
        "user_id": (_colleague() if route in ABOUT_OTHERS else experiment.owner).pk,
        "item_id": collection.items.all()[0].pk,
        "stimulus_id": Stimulus.objects.filter(item__collection=collection)[0].pk,
    }
    links = Invitation.objects.filter(panel__experiment=experiment)
    if "_link" in route and links.exists():
        values["link_id"] = links.get().pk
    if route == "analysis:lift_exclusion":
        values["entry_id"] = Exclusion.objects.of_experiment(experiment).get().pk
    if own := experiment.own_label_sets.first():
        values["label_set"] = own.name
    if "import" in route:
        import_ = begin(collection)
        if route == "stimuli:correct_import":
            finding = {
                "severity": "error",
                "msgid": "Noise.",
                "sentence": "Noise.",
                "data": {},
                "path": "",
                "files": ["C0/a.wav"],
            }
            Import.objects.filter(pk=import_.pk).update(state="errors", report={"findings": [finding]})
        values["import_id"] = import_.pk
    [needed] = {each.arguments for each in EVERY_ROUTE if each.name == route}
    return reverse(route, kwargs={name: values[name] for name in needed})


@pytest.fixture(scope="module")
def made(module_db: None) -> dict[Make, Experiment]:
    """One experiment of every kind that the forms need."""
    return {make: make() for make in dict.fromkeys(form.make for form in FORMS.values())}


def client_of(experiment: Experiment) -> Client:
    make_user(name="colleague")
    return browser_of(experiment.owner)


# Buttons alone are pressed by their owner in test_routes.py as well, and looked at where each page is tested.
BUTTONS = {route for route, form in FORMS.items() if not form.wrong}
TYPED = [pytest.param(route, marks=[pytest.mark.long] * (route in BUTTONS - {"rating:state"})) for route in FORMS]


@pytest.mark.parametrize("route", TYPED)
def test_a_post_that_succeeds_redirects_to_a_page(route: str, made: dict[Make, Experiment]) -> None:
    form = FORMS[route]
    experiment = deepcopy(made[form.make])
    good = form.good | ({"typed": experiment.slug} if "typed" in form.good else {})
    client = client_of(experiment)
    answer = client.post(address(route, experiment), good)
    assert answer.status_code == 302, answer.content.decode()
    page = client.get(answer.headers["Location"], follow=True)
    assert page.status_code == 200
    assert 'class="errorlist"' not in page.content.decode()


@pytest.mark.parametrize("route", [route for route, form in FORMS.items() if form.wrong])
def test_a_post_that_is_refused_shows_its_page_with_the_reason_and_what_was_typed(
    route: str, made: dict[Make, Experiment]
) -> None:
    form = FORMS[route]
    experiment = deepcopy(made[form.make])
    answer = client_of(experiment).post(address(route, experiment), form.good | form.wrong, follow=form.led_back)
    page = answer.content.decode()
    [(name, typed)] = form.wrong.items()
    assert answer.status_code == 200 or 400 <= answer.status_code < 500
    assert '<nav class="tabs"' in page or 'class="crumbs"' in page or "<h1>" in page
    control = re.search(rf'<(?:input|textarea|select)[^>]*name="{name}"[^>]*aria-invalid="true"[^>]*>', page)
    assert control is not None, page
    assert f'value="{typed}"' in control[0]
    assert 'class="errorlist"' in page
    again = form_with_error(page, name)
    typed_beside = {key: value for key, value in form.good.items() if key != name and key not in again.buttons}
    expected = {key: value if isinstance(value, list) else [str(value)] for key, value in typed_beside.items()}
    assert {key: again.values[key] for key in expected} == expected


def test_settings_that_are_fixed_while_live_are_shown_beside_an_error(made: dict[Make, Experiment]) -> None:
    experiment = made[with_a_taken_seat]
    wrong = {"lease_hours": "12", "completion_url": "http://example.org/unsafe"}
    answer = browser_of(experiment.owner).post(address("listening:session_settings", experiment), wrong)
    shown = form_with_error(answer.content.decode(), "completion_url").values
    assert (shown["rest_s"], shown["headphone_screen"]) == (["300"], ["off"])


def test_a_new_password_that_is_refused_is_said_beside_its_field_and_not_sent_back(
    made: dict[Make, Experiment],
) -> None:
    admin, person = made[draft].owner, make_user()
    link = make_link(account=person, by_mail=False, now=timezone.now(), actor=admin)
    answer = Client().post(link, {"password": "seven green boats", "again": "seven grey boats"})
    assert answer.status_code == 400
    assert form_with_error(answer.content.decode(), "again").values["password"] == [""]


def test_a_consent_that_is_not_ticked_is_said_beside_its_box(
    made: dict[Make, Experiment],
) -> None:
    experiment = made[on_paper]
    answer = browser_of(experiment.owner).post(address("listening:paper", experiment), {})
    assert answer.status_code == 422
    assert re.search(r'name="agreed"[^>]*aria-invalid="true"', answer.content.decode())
