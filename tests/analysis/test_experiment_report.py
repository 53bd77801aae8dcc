"""The report of an experiment: on a page and in one file, blind until unblinded, with what is needed to do it again."""

import re

import pytest
from django.test import Client
from django.utils import timezone

from analysis.exclusions.rules import apply_rule, proposals
from analysis.reports.plan import plan_sha256
from analysis.services import report_pdf
from analysis.tasks import write_report_pdf
from core import pdf
from core.jobs import JobRun, queue
from core.models import AuditEntry, Job
from listening.models import QuestionAnswer
from listening.panels.services import panels
from listening.panels.services.extensions import ask_for_seats
from rating.models import Collaborator, Experiment
from rating.services.access import share
from rating.services.attention import change_checks
from rating.services.editing import edit_experiment
from rating.services.experiments import go_live, unblind
from tests.analysis.p835_material import CONDITIONS, SECRETS, listen, p835_experiment, refresh
from tests.core.test_pdf import inside
from tests.factories import make_experiment, make_user
from tests.people import bearing, browser_of, token_of
from tests.rating.test_attention import EXPECTED, answer, clips
from tests.scale import ALL

pytestmark = pytest.mark.django_db
AGE = {"key": "age", "place": "before", "kind": "number", "text": "How old?", "unit": "years"}


@pytest.fixture(scope="module")
def shared_experiment(module_db: None) -> Experiment:
    experiment = p835_experiment()
    listen(experiment)
    refresh()
    return experiment


@pytest.fixture
def client(experiment: Experiment) -> Client:
    return browser_of(experiment.owner)


def page(client: Client, experiment: Experiment) -> str:
    answer = client.get(f"/experiments/{experiment.slug}/report/")
    assert answer.status_code == 200
    return answer.content.decode()


def file(experiment: Experiment) -> str:
    script = bearing(token_of(experiment.owner, "read"))
    answer = script.get(f"/api/v1/experiments/{experiment.slug}/report.html")
    assert "attachment" in answer.headers["Content-Disposition"]
    return answer.getvalue().decode()


@pytest.fixture(scope="module")
def blind(shared_experiment: Experiment) -> dict[str, str]:
    """The report before unblinding as the page and as the file; the log of the download stays for the tests."""
    return {"page": page(browser_of(shared_experiment.owner), shared_experiment), "file": file(shared_experiment)}


def test_the_report_has_methods_listeners_figures_tables_and_versions(
    experiment: Experiment, blind: dict[str, str]
) -> None:
    told = blind["page"]
    for part in ("Methods", "Design", "Listeners and exclusions", "Figures", "Tables", "Versions"):
        assert f"<h2>{part}</h2>" in told
    assert "rated" in told
    assert "No answer was excluded." in told
    assert "<svg" in told
    assert experiment.design_sha256 in told
    assert experiment.label_set in told
    assert "Version 1, from" in told
    assert f'href="/api/v1/experiments/{experiment.slug}/report.html"' in told


def test_the_file_needs_nothing_else(blind: dict[str, str]) -> None:
    told = blind["file"]
    assert told.startswith("<!doctype html>")
    assert not re.search(r"(src|href)=|url\(|@import|<script", told)
    assert "@media print" in told
    assert AuditEntry.objects.filter(action="experiment.exported", after__what="report").count() == 1


def test_conditions_are_letters_until_the_experiment_is_unblinded(
    client: Client, experiment: Experiment, blind: dict[str, str]
) -> None:
    for told in blind.values():
        assert not [secret for secret in SECRETS if secret in told]
        assert "has not been unblinded" in told
    unblind(experiment=experiment, actor=experiment.owner, reason="Done.")
    assert all(condition in page(client, experiment) for condition in CONDITIONS)


def write_next() -> None:
    job = queue.claim(worker="test", names=[write_report_pdf.name])
    assert job is not None
    write_report_pdf(run=JobRun(job), **job.arguments)
    queue.complete(job=job)


def test_a_reader_has_the_report_written_as_pdf_and_downloads_it_as_blind_as_the_page(
    client: Client, experiment: Experiment, monkeypatch: pytest.MonkeyPatch
) -> None:
    # That headings become bookmarks is shown by test_pdf, too, with a shorter text.
    possible, written = ALL and pdf.can_write_pdf(), []

    def write(html: str, *, longest_s: float) -> bytes:
        written.append(html)
        return pdf.write_pdf(html, longest_s=longest_s) if possible and len(written) == 1 else b"%PDF-"

    for place in (pdf, report_pdf):
        monkeypatch.setattr(place, "can_write_pdf", lambda: True)
    monkeypatch.setattr(report_pdf, "write_pdf", write)
    address, api = f"/experiments/{experiment.slug}/report/", f"/api/v1/experiments/{experiment.slug}/report.pdf"
    viewer = make_user()
    share(experiment=experiment, actor=experiment.owner, colleague_name=viewer.username, role=Collaborator.Role.VIEWER)
    reading = browser_of(viewer)
    assert "Write a PDF" in page(reading, experiment)
    assert reading.get(api).json()["code"] == "report.no_pdf"
    asked = reading.post(f"{address}pdf/")
    assert (asked.status_code, asked["Location"]) == (302, address)
    waiting = page(reading, experiment)
    assert f'data-job="{Job.objects.get(name=write_report_pdf.name).pk}"' in waiting
    assert "Write a PDF" not in waiting

    write_next()
    assert f'href="{api}"' in page(client, experiment)
    got = reading.get(api)
    assert got["Content-Type"] == "application/pdf"
    assert f'filename="{experiment.slug}-report.pdf"' in got["Content-Disposition"]
    made = got.getvalue()
    assert made.startswith(b"%PDF-")
    if possible:
        assert all(f"/Title ({part})".encode() in inside(made) for part in ("Methods", "Figures", "Versions"))
    assert not [secret for secret in SECRETS if secret in written[0]]
    assert "has not been unblinded" in written[0]
    assert AuditEntry.objects.filter(action="experiment.exported", after__what="report PDF", actor=viewer).exists()

    unblind(experiment=experiment, actor=experiment.owner, reason="Done.")
    assert reading.post(api).status_code == 202
    write_next()
    assert all(condition in written[1] for condition in CONDITIONS)
    assert reading.get(api).getvalue() == b"%PDF-"


def test_without_answers_the_report_says_so() -> None:
    experiment = make_experiment(seats=1)
    told = page(browser_of(experiment.owner), experiment)
    assert "There are no results yet." in told
    assert "<h2>Figures</h2>" not in told


@pytest.fixture(scope="module")
def checked(module_db: None) -> Experiment:
    """Attention checks, a plan with a rule about them, an extension and questions; the second listener fails."""
    experiment = make_experiment(live=False, items=6, conditions=2, questions=[{"ready": "comment"}, AGE])
    actor = experiment.owner
    clips(experiment)
    experiment = change_checks(experiment=experiment, repeats=3, expected=EXPECTED, actor=actor)
    plan = {"scale": "QUALITY", "model": "listeners", "rules": {"attention": 0.5}}
    edit_experiment(experiment=experiment, actor=actor, analysis_plan=plan)
    panels.create_panel(experiment=experiment, seats=2, actor=actor)
    live = go_live(experiment=Experiment.objects.get(pk=experiment.pk), actor=actor)
    ask_for_seats(experiment=live, seats=1, actor=actor, panel=1, reason="one more is needed")
    seats = [
        answer(live, {"say-2": 2, "say-4": 4, "clean": 5}),
        answer(live, {"say-2": 2, "say-4": 1, "clean": 3}, second=5),
    ]
    now = timezone.now()
    for seat, age, comment in zip(seats, (30, 40), ("I am Anna Secretname.", None), strict=True):
        for question, value in (("age", age), ("comment", comment)):
            QuestionAnswer.objects.create(seat=seat, question=question, value=value, saved_at=now, handed_in_at=now)
    refresh()
    return live


def test_rules_find_who_failed_attention_checks_and_the_report_tells_all_of_it(checked: Experiment, db: None) -> None:
    proposed = {one.rule: one for one in proposals(checked)}
    [found] = proposed["attention"].new
    assert found.listener == "sub-0002"
    assert found.figure == pytest.approx(2 / 3)
    assert (proposed["attention"].registered, proposed["attention"].judged) == (True, 2)
    [twice] = proposed["repeats"].new  # 3 and then 5 on a scale of 1 to 5
    assert (twice.listener, twice.figure, proposed["repeats"].judged) == ("sub-0002", 0.5, 2)
    before = page(browser_of(checked.owner), checked)
    assert "Registered rule, not applied to all it finds: Attention checks, threshold 0.5" in before
    assert "Ledger of exclusions" not in before

    [entry] = apply_rule(experiment=checked, actor=checked.owner, rule="attention", threshold=None)
    assert entry.figure == pytest.approx(2 / 3)
    refresh()
    # The file has the parts of the page, as the tests of the blind report show, so one of them is enough here.
    for told in [page(browser_of(checked.owner), checked), *([file(checked)] if ALL else [])]:
        for part in ("Excluded from all figures: 1 listener. sub-0002", "Ledger of exclusions", "before unblinding"):
            assert part in told
        assert told.count("<h3>With and without exclusions</h3>") == 1
        assert "Registered rule, applied as registered: Attention checks, threshold 0.5, found 1." in told
        assert plan_sha256(Experiment.objects.get(pk=checked.pk).analysis_plan) in told
        assert "<h3>Attention checks</h3>" in told
        assert "<h3>Extensions</h3>" in told
        assert "one more is needed" in told
        assert "From 30 to 40, median 35" in told
        assert "1 of 2 listeners who were asked have answered." in told
        assert "Secretname" not in told
