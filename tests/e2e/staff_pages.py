"""Pages of experimenters and admins, each with something on it: for the accessibility scan and for screenshots."""

import json
from dataclasses import asdict, dataclass

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.test.utils import setup_test_environment
from django.urls import reverse
from django.utils import timezone

from analysis.tasks import refresh_stale_results
from core.jobs import enqueue
from core.models import Job, User
from core.services.accounts import change_email, create_token, deactivate
from core.services.password_links import make_link
from listening.design.base import DesignRequest
from listening.models import Seat
from listening.panels.services import panels
from listening.panels.services.designs import adopt_draft, draft_design
from listening.panels.services.exclusions import Target, exclude
from listening.panels.services.paper import begin_on_paper
from rating.models import Experiment
from rating.services.experiments import close, go_live, unblind
from rating.services.label_sets import copy_label_set
from rating.services.votes import cast_vote
from stimuli.models import Import, Stimulus
from stimuli.services.quality_checks import measure_missing
from tests.contracts.routes import PATTERNS, TABLE
from tests.factories import PASSWORD, consent_to, make_experiment, make_panel_experiment, make_user, tone, vote_event
from tests.people import browser_of, give_second_factor
from tests.stimuli.import_material import new_collection, uploaded
from tests.waiting import wait_until

# What an admin may open that is no page to look at.
NO_PAGES = {
    "stimuli:clip": "a sound",
    "stimuli:manifest": "JSON",
    "stimuli:peaks": "JSON",
    "stimuli:peaks_file": "a file",
    "stimuli:tile": "a picture",
    "stimuli:slice": "a sound",
    "rating:options": "leads to its part of the settings",
    "listening:preview_sound": "a sound",
    "listening:experiment_file": "a file",
    "analysis:plan_file": "a file",
    "listening:completion_codes": "a file",
    "listening:design_csv": "a file",
    "listening:design_json": "a file",
    "listening:monitor_csv": "a file",
    "mfa_authenticate": "stands between the password and the first page, tests/e2e/test_accessibility.py",
    "mfa_download_recovery_codes": "a file",
}
PUBLIC = {"core:home", "core:set_password", "account_login", "account_logout", "account_inactive"}
ADMIN = "world-admin"
MEASURED_S = 300  # the first job that decodes also compiles its kernels
LISTENERS = 6
METRICS = "item,condition,PESQ\n" + "".join(
    f"secretitem{item},secretcondition{condition},{2 + condition + item / 4}\n"
    for item in range(3)
    for condition in range(2)
)


@dataclass(frozen=True)
class StaffPage:
    """A page: its route (and what is special about it), its address, who opens it, and how it is answered."""

    name: str
    path: str
    who: str = "admin"
    status: int = 200

    @property
    def route(self) -> str:
        return self.name.partition(", ")[0]


@dataclass(frozen=True)
class StaffWorld:
    pages: list[StaffPage]
    sessions: dict[str, str]  # the cookie of everybody who opens pages; "nobody" has none


def listed_pages() -> set[str]:
    """The routes of pages for people with accounts, from the table of all routes."""
    answers = {name: PATTERNS[get] for name, (get, _post) in TABLE.items() if not name.startswith("api:")}
    return {
        name
        for name, answer in answers.items()
        if answer["anonymous"] == "in" and not {answer["owner"], answer["admin"]} & {"405", "page"}
    } | PUBLIC


def create_world() -> StaffWorld:
    """An admin's experiments in every state, made through the services; the worker is waited for."""
    admin, newcomer = make_user(User.Role.ADMIN, ADMIN), make_user(name="world-newcomer")
    give_second_factor(admin)
    _accounts(admin)
    draft, live, rated = _draft(admin), _live(admin), _rated(admin)
    paper = make_experiment(admin, protocol="tcsd_plane", seats=1, title="A day in a minute")
    begin_on_paper(seat=_seat(paper), agreed=True, now=timezone.now(), actor=admin)
    workbook = make_experiment(admin, protocol="thumbs", seats=1, title="How good is the caption?")
    imports = _imports(admin)
    enqueue(refresh_stale_results)
    Job.objects.create(name="stimuli.check_import", state=Job.State.FAILED, error="ValueError", requested_by=admin)
    wait_until(lambda: not Job.objects.unfinished().exists(), patience_s=MEASURED_S)
    browser = browser_of(admin)
    browser.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    fresh = browser_of(newcomer)
    fresh.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    _kept_once(browser, live, newcomer)
    browser.post(reverse("analysis:metrics", args=[rated.slug]), {"file": _file("metrics.csv", METRICS)})
    token = make_link(account=newcomer, by_mail=False, now=timezone.now(), actor=admin).split("/")[-2]
    pages = [
        *_pages_of_core(token),
        *_pages_of_sounds(draft, rated, imports),
        *_pages_of_experiments(draft, live, rated),
        *_pages_of_seats(paper, workbook),
    ]
    return StaffWorld(pages, {"admin": _session(browser), "newcomer": _session(fresh)})


def _session(browser: Client) -> str:
    return browser.cookies["earmark"].value


def _accounts(admin: User) -> None:
    """A colleague, somebody who has left, and a token."""
    colleague = make_user(name="world-colleague")
    give_second_factor(colleague)
    change_email(account=colleague, email="colleague@example.org", actor=admin)
    deactivate(account=make_user(name="world-former"), actor=admin, reason="has left")
    create_token(owner=admin, name="notebook", scopes=["read"], days=30, now=timezone.now())


def _draft(admin: User) -> Experiment:
    question = {"key": "mood", "kind": "yes_no", "text": "How are you?", "place": "before"}
    draft = make_panel_experiment(admin, title="A rather long title, as people give them", questions=[question])
    copy_label_set(experiment=draft, actor=admin, source="p835-en-1", language="pt")
    return draft


def laid_out(experiment: Experiment) -> Experiment:
    """Two panels, and one seat of each taken."""
    wanted = DesignRequest(panels=2, seats=2, size=4, sessions=2, factors=("session",))
    adopt_draft(experiment=experiment, draft=draft_design(experiment=experiment, wanted=wanted), actor=experiment.owner)
    live = go_live(experiment=Experiment.objects.get(pk=experiment.pk), actor=experiment.owner)
    for panel in live.panels.all():
        consent_to(panel.seats.earliest("number"))
    return live


def _live(admin: User) -> Experiment:
    live = laid_out(make_panel_experiment(admin, title="Three noise suppressors"))
    panels.invite(panel=live.panels.all()[0], count=3, now=timezone.now(), actor=admin)
    return live


def _rated(admin: User) -> Experiment:
    """Closed and unblinded, with answers that differ, and one listener left out."""
    rated = make_experiment(admin, items=3, seats=LISTENERS, title="How good does it sound?")
    measure_missing(collection=rated.collection)
    for listener, seat in enumerate(Seat.objects.filter(panel__experiment=rated).order_by("number")):
        ballot = consent_to(seat).seat.ballot
        for trial in ballot.trials.unanswered():
            slot = trial.slots.get()
            better = slot.stimulus.condition.name.endswith("1")
            cast_vote(ballot_id=ballot.pk, event=vote_event(trial, value=2 + 2 * better + (listener % 3 == 0)))
    exclude(experiment=rated, actor=admin, target=Target(listener="sub-0001"), reason="was called away")
    close(experiment=rated, actor=admin)
    return unblind(experiment=Experiment.objects.get(pk=rated.pk), actor=admin, reason="all answers are in")


def _imports(admin: User) -> dict[str, Import]:
    """One with a file that is no sound, and one that can be confirmed."""
    good = {f"C{number}/a.wav": tone(300 + 100 * number, duration_s=1.0) for number in range(2)}
    return {
        "with an error": uploaded(new_collection(admin), good | {"C1/b.wav": b"RIFF....WAVE"}),
        "proposed": uploaded(new_collection(admin), good),
    }


def _kept_once(browser: Client, live: Experiment, newcomer: User) -> None:
    """What pages show once, after a post of the same session."""
    browser.post(reverse("core:make_password_link", args=[newcomer.pk]))
    browser.post(reverse("listening:add_invitations", args=[live.slug, 1]), {"count": 2})
    message = {"panel": 1, "recipients": "anna@example.org", "subject": "A test", "text": "Your link: {link}"}
    browser.post(reverse("listening:mail", args=[live.slug]), message)


def _seat(experiment: Experiment) -> Seat:
    return Seat.objects.get(panel__experiment=experiment)


def _file(name: str, content: str) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content.encode())


def _pages(routes: dict[str, str], *arguments: object, who: str = "admin") -> list[StaffPage]:
    """Pages with the same arguments; a route may stand there with what is special about this page of it."""
    names = {name: (name.partition(", ")[0], query) for name, query in routes.items()}
    return [StaffPage(name, reverse(route, args=arguments) + query, who) for name, (route, query) in names.items()]


def _pages_of_core(token: str) -> list[StaffPage]:
    own = ("account_logout", "account_change_password", "account_reauthenticate", "mfa_index", "mfa_deactivate_totp")
    codes = ("mfa_view_recovery_codes", "mfa_generate_recovery_codes", "mfa_reauthenticate")
    service = ("service", "jobs", "backups", "audit", "people", "new_password_link", "account", "help", "help_api")
    return [
        *_pages(dict.fromkeys(["account_login", "account_inactive", "core:home"], ""), who="nobody"),
        *_pages({"core:set_password": ""}, token, who="nobody"),
        *_pages(dict.fromkeys(["mfa_activate_totp", "mfa_index, without a second factor"], ""), who="newcomer"),
        *_pages(dict.fromkeys([f"core:{name}" for name in service] + ["stimuli:storage"], "")),
        *_pages({"core:help_page": ""}, "guides/experimenter"),
        *_pages(dict.fromkeys(own + codes, "")),
    ]


def _pages_of_sounds(draft: Experiment, rated: Experiment, imports: dict[str, Import]) -> list[StaffPage]:
    slug = rated.collection.slug
    first, second = Stimulus.objects.filter(item__collection=rated.collection)[:2]
    of_collection = ("settings", "clips", "copy", "normalise")
    unfrozen = draft.collection.slug
    replaced = Stimulus.objects.filter(item__collection=draft.collection)[0]
    return [
        *_pages({"stimuli:collections": "", "stimuli:new_collection": ""}),
        *_pages({"stimuli:collection": "", "stimuli:collection, loudness": "?show=loudness"}, slug),
        *_pages({f"stimuli:{name}": "" for name in of_collection}, slug),
        *_pages({"stimuli:compare": f"?clip={first.pk}&clip={second.pk}"}, slug),
        *_pages({f"stimuli:{name}": "" for name in ("sound", "clock")}, slug, first.pk),
        *_pages({"stimuli:new_import": ""}, unfrozen),
        *_pages({"stimuli:replace_stimulus": ""}, unfrozen, replaced.pk),
        *(
            StaffPage(f"stimuli:import, {name}", reverse("stimuli:import", args=[each.collection.slug, each.pk]))
            for name, each in imports.items()
        ),
        StaffPage("stimuli:collection, missing", reverse("stimuli:collection", args=["none"]), status=404),
    ]


def _pages_of_experiments(draft: Experiment, live: Experiment, rated: Experiment) -> list[StaffPage]:
    tried = "?preset=udase-exact&panels=2&seats=2&size=4&sessions=2&seed=0&factors=session"
    from_draft = ("rating:labels", "rating:confirm_live", "rating:delete", "analysis:plan")
    asked = ("listening:questions", "listening:new_question", "listening:checks", "listening:remove_seats")
    of_people = ("people", "links", "new_links", "mail_preview", "mail", "reminder", "monitor", "extend", "simulations")
    drafts = {
        "rating:experiment, draft": "",
        "rating:settings, draft": "",
        "listening:design, tried": tried,
        "listening:people, draft": "",
        "listening:monitor, draft": "",
    }
    of_live = ("rating:experiment", "rating:settings", "rating:unblind", "listening:design", "analysis:results, blind")
    of_rated = ("exclusions", "metrics", "report", "results", "plan, registered")
    return [
        *_pages(dict.fromkeys(["rating:experiments", "rating:new_experiment", "listening:monitor_all"], "")),
        *_pages(dict.fromkeys(["analysis:plan_study", "analysis:table"], "")),
        *_pages(dict.fromkeys([f"listening:{name}" for name in ("from_file", "from_elsewhere", "trial_preview")], "")),
        *_pages(dict.fromkeys(from_draft + asked, "") | drafts, draft.slug),
        *_pages({"rating:own_labels": ""}, draft.slug, draft.own_label_sets.get().name),
        *_pages({"listening:question": ""}, draft.slug, "mood"),
        *_pages(dict.fromkeys(of_live, ""), live.slug),
        *_pages({f"listening:{name}": "" for name in of_people}, live.slug),
        *_pages({f"analysis:{name}": "" for name in of_rated} | {"rating:experiment, closed": ""}, rated.slug),
    ]


def _pages_of_seats(paper: Experiment, workbook: Experiment) -> list[StaffPage]:
    seat = (1, _seat(paper).number)
    return [
        *_pages({"listening:print_sheets": "", "listening:paper": ""}, paper.slug, *seat),
        *_pages({"listening:paper_sheet": ""}, paper.slug, *seat, 1),
        *_pages({"listening:people, on paper": ""}, paper.slug),
        *_pages({"listening:workbook": ""}, workbook.slug, 1, _seat(workbook).number),
        *_pages({"listening:people, workbooks": ""}, workbook.slug),
    ]


def world_as_json() -> str:
    """The world, made in a process of its own, for a script that opens its pages."""
    setup_test_environment()  # posts of the world come from a host of tests
    return json.dumps(asdict(create_world()))
