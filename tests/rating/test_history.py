"""History of an experiment on its page of settings: in words, newest first, paged, for its owner and editors."""

import re
from html import unescape
from pathlib import Path

import pytest
from django.conf import settings

from core.models import AuditEntry, User
from rating.history import WORDS, history_of
from rating.models import Experiment
from rating.services.access import share
from rating.services.editing import amend_texts, edit_experiment
from rating.services.experiments import go_live, unblind
from tests.factories import make_experiment, make_user
from tests.people import browser_of

pytestmark = pytest.mark.django_db
PARTS = ("session_settings", "completions", "metrics", "monitor_alert", "label_set", "ballot", "workbook")
ABOUT = "|".join(("experiment", "exclusion", "panel", "seat", "design", *PARTS))
# Said of a ballot, and of an experiment that is gone.
ELSEWHERE = {"ballot.completed", "ballot.withdrawn", "experiment.removed"}


def lines(experiment: Experiment, reader: User | None = None, page: int = 1) -> list[str]:
    """The rows of the history as text, without the time."""
    answer = browser_of(reader or experiment.owner).get(f"/experiments/{experiment.slug}/settings/?history={page}")
    html = answer.content.decode()
    _before, found, part = html.partition('id="history"')
    rows = re.findall(r"<tr><td.*?</tr>", part, re.DOTALL) if found else []
    return [" ".join(unescape(re.sub(r"<[^>]+>", " ", row)).split())[17:] for row in rows]


def test_the_owner_and_editors_read_who_did_what_and_why_and_viewers_do_not() -> None:
    experiment = make_experiment(seats=1)
    owner, editor, viewer = experiment.owner, make_user(), make_user()
    amend_texts(experiment=experiment, actor=owner, debrief="Thank you.", reason="it was <missing>")
    share(experiment=experiment, actor=owner, colleague_name=editor.username, role="editor")
    share(experiment=experiment, actor=owner, colleague_name=viewer.username, role="viewer")
    unblind(experiment=experiment, actor=owner, reason="all have answered")
    told = lines(experiment)
    assert told[0] == f"{owner} Unblinded the experiment all have answered"
    assert told[3] == f"{owner} Amended texts it was <missing>"
    assert told[4] == f"{owner} Changed the state: Live"
    assert told[-1] == f"{owner} Created the experiment"
    assert lines(experiment, editor) == told
    assert lines(experiment, viewer) == []


def test_a_blind_reader_is_told_no_condition_and_what_is_long_has_pages() -> None:
    experiment = make_experiment(live=False, seats=1)
    plan = {"scale": "QUALITY", "against": "secretcondition1", "model": "mixed"}
    edit_experiment(experiment=experiment, actor=experiment.owner, analysis_plan=plan)
    for n in range(25):
        edit_experiment(experiment=experiment, actor=experiment.owner, title=f"Title {n}")
    assert AuditEntry.objects.filter(action="experiment.edited", after__analysis_plan__against="secretcondition1")
    first, second = lines(experiment), lines(experiment, page=2)
    assert (len(first), len(second)) == (20, history_of(experiment).count() - 20)
    assert not [line for line in first + second if "secretcondition" in line]


def test_a_name_that_was_another_experiment_s_brings_none_of_its_history() -> None:
    mine, other = make_experiment(live=False, slug="mine"), make_experiment(live=False, slug="theirs")
    edit_experiment(experiment=other, actor=other.owner, slug="later")
    edit_experiment(experiment=mine, actor=mine.owner, slug="theirs")
    edit_experiment(experiment=mine, actor=mine.owner, title="Another title")
    mine = Experiment.objects.get(pk=mine.pk)
    assert {entry.actor for entry in history_of(mine)} == {mine.owner}
    assert [entry.action for entry in history_of(mine)] == 2 * ["experiment.edited"] + ["experiment.created"]
    other = Experiment.objects.get(pk=other.pk)
    assert [entry.action for entry in history_of(other)] == ["experiment.edited", "experiment.created"]
    go_live(experiment=make_experiment(other.owner, live=False, slug="mine", seats=1), actor=other.owner)
    assert len(history_of(mine)) == 3


def test_every_action_about_an_experiment_has_words() -> None:
    found = set()
    for app in ("rating", "listening", "analysis"):
        for place in Path(settings.BASE_DIR, app).rglob("*.py"):
            text = place.read_text(encoding="utf-8")
            found |= set(
                re.findall(
                    rf'(?:action=|_mark\([^"\n]*|_record\([^"\n]*|record_about_seat\([^"\n]*)"((?:{ABOUT})\.\w+)"', text
                )
            )
            found |= set(re.findall(rf'^[A-Z]+ = "((?:{ABOUT})\.\w+)"', text, re.MULTILINE))
    assert len(found) > 30
    assert found - ELSEWHERE - set(WORDS) == set()
