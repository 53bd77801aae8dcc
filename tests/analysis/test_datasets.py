"""Table of counted scores: the same marks as in the votes, read in one query."""

from typing import Any

import pandas as pd
import pytest
from django.db import connection
from django.db.models import JSONField, Value
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from analysis import datasets
from analysis.models import Result
from analysis.services.results import read_result, stale_results
from listening.models import Participant
from listening.panels.services.panels import add_seats
from rating.models import Ballot, Experiment, Score, Vote
from rating.services.ballots import abandon_ballot
from rating.services.votes import cast_vote
from tests.analysis.p835_material import listen, p835_experiment, refresh
from tests.factories import consent_to, marks, vote_event
from tests.scale import ALL
from tests.tampering import tampering

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def shared_experiment(module_db: None) -> Experiment:
    """Two seats; one listener has answered, and the results are up to date with that."""
    made = p835_experiment(seats=2)
    listen(made)
    refresh()
    return made


def first_ballot(experiment: Experiment) -> Ballot:
    return Ballot.objects.get(seat__panel__experiment=experiment, seat__number=1)


def test_the_table_holds_every_mark_as_it_was_given(experiment: Experiment) -> None:
    table = datasets.read_scores(experiment, simulated=False)
    rows = Score.objects.filter(vote__ballot=first_ballot(experiment)).select_related(
        "vote__trial", "slot__stimulus__item", "slot__stimulus__condition"
    )
    expected = {
        score.vote.trial.position: (
            score.slot.stimulus.item.name,
            score.slot.stimulus.condition.name,
            score.scale,
            score.value,
            score.vote.trial.session,
            score.vote.trial.kind,
            str(score.vote.trial.detail["part"]),
            "-".join(score.vote.trial.detail["order"]),
        )
        for score in rows
    }
    columns = ["item", "condition", "scale", "value", "session", "kind", "part", "order"]
    found = {row["position"]: tuple(row[name] for name in columns) for _, row in table.iterrows()}
    assert found == expected
    assert len(found) == 3 * (3 * 3 + 2)
    assert set(table["factors"]) == {'{"location": "garden"}', '{"location": "kitchen"}', "{}"}
    assert (set(table["listener"]), set(table["panel"])) == ({1}, {1})


def test_the_scores_are_read_with_one_query_whatever_the_number_of_listeners(experiment: Experiment) -> None:
    with CaptureQueriesContext(connection) as one:
        before = datasets.read_scores(experiment, simulated=False)
    listen(experiment, shift=1)
    with CaptureQueriesContext(connection) as two:
        after = datasets.read_scores(experiment, simulated=False)
    assert len(one) == len(two) == 4  # ballots, scores, stimuli, exclusions
    assert len(after) == 2 * len(before)


def test_scores_read_in_small_parts_make_the_same_table(
    experiment: Experiment, monkeypatch: pytest.MonkeyPatch
) -> None:
    listen(experiment, shift=1)
    whole = datasets.read_scores(experiment, simulated=False)
    monkeypatch.setattr(datasets, "ROWS_AT_ONCE", 7)
    pd.testing.assert_frame_equal(datasets.read_scores(experiment, simulated=False), whole)


def test_a_changed_answer_takes_the_place_of_the_first(experiment: Experiment) -> None:
    ballot = first_ballot(experiment)
    trial = ballot.trials.filter(kind="test").earliest("position")
    value = 6 - Score.objects.get(vote__current_for=trial).value
    cast_vote(ballot_id=ballot.pk, event=vote_event(trial, revision=1, payload=marks(value, scale=trial.ask[0])))
    table = datasets.read_scores(experiment, simulated=False)
    assert table.loc[table["position"] == trial.position, "value"].tolist() == [value]
    if ALL:  # test_results, too, has an answer that was changed in the means
        refresh()
        assert Result.objects.get().vote_count == ballot.trials.count() + 1


def test_a_ballot_that_was_given_up_no_longer_counts(experiment: Experiment) -> None:
    listen(experiment, shift=1)
    refresh()
    abandon_ballot(ballot=first_ballot(experiment), now=timezone.now())
    assert read_result(experiment=experiment, slug="mos", simulated=False)["stale"]
    refresh()
    result = read_result(experiment=experiment, slug="mos", simulated=False)
    assert (result["stale"], result["vote_count"]) == (False, 33)
    assert {row["n_listeners"] for row in result["table"]["rows"]} == {1}


def test_when_everybody_gave_up_nothing_is_left_to_show(experiment: Experiment) -> None:
    abandon_ballot(ballot=first_ballot(experiment), now=timezone.now())
    refresh()
    assert read_result(experiment=experiment, slug="mos", simulated=False)["table"]["rows"] == []
    assert list(stale_results()) == []


@pytest.mark.parametrize("kind", [Ballot.Kind.PREVIEW, Ballot.Kind.REHEARSAL])
def test_previews_and_rehearsals_never_count(kind: Ballot.Kind) -> None:
    experiment = p835_experiment(seats=1, items=1)
    seat = add_seats(panel=experiment.panels.get(), count=1, kind=kind)[0]
    consent_to(seat)
    for trial in seat.ballot.trials.all():
        cast_vote(ballot_id=seat.ballot_id, event=vote_event(trial, payload=marks(5, scale=trial.ask[0])))
    refresh()
    for simulated in (False, True):
        assert datasets.read_scores(experiment, simulated=simulated).empty
    assert not Result.objects.filter(experiment=experiment).exists()


def test_an_erased_participant_is_still_one_listener(experiment: Experiment) -> None:
    listen(experiment, shift=1)
    Participant.objects.filter(seat=first_ballot(experiment).seat).delete()
    refresh()
    rows = read_result(experiment=experiment, slug="mos", simulated=False)["table"]["rows"]
    assert {row["n_listeners"] for row in rows} == {2}


def test_a_pace_is_made_of_times_that_are_numbers(experiment: Experiment) -> None:
    ballots = datasets.counted_ballots(experiment, simulated=False)
    odd = ["12", True, None, [5], {"ms": 5}, 10**400, -(10**16), "1, 2"]
    no_objects: list[Any] = [[700], "700", 700, None, {}]
    heard = [{"answer_ms": value, "plays": 1} for value in (700, 12.5, 0, -3, *odd)] + no_objects
    votes = list(Vote.objects.filter(current_for__kind="test").values_list("pk", flat=True))
    flags = [["fast"], ["late", "fast"], [], ["faster"], "fast", {"fast": 1}, None]
    with tampering():
        for number, pk in enumerate(votes):
            Vote.objects.filter(pk=pk).update(heard={}, flags=[])
            if number < len(heard):
                Vote.objects.filter(pk=pk).update(heard=Value(heard[number], JSONField()))
            if number < len(flags):
                Vote.objects.filter(pk=pk).update(flags=Value(flags[number], JSONField()))
        (pace,) = datasets.paces(experiment, ballots, simulated=False).values()
    assert sorted(pace.answer_ms) == [-3, 0, 12.5, 700]
    assert (pace.sooner, pace.answers) == (2, len(votes))
