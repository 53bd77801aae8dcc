"""Designs as services: drafted without writing, adopted at once, replaced, rejected, verified."""

from collections import Counter
from contextlib import contextmanager
from typing import Any

import pytest
from django.utils import timezone

from core.errors import AppError
from core.models import AuditEntry
from listening.design.base import DesignRequest
from listening.models import Design, Invitation, Panel, Seat
from listening.panels.services import design_seats, designs, panels
from listening.panels.services.design_seats import sequences_of
from rating.models import Ballot, Experiment, Slot, Trial
from rating.services.experiments import go_live
from tests.errors import raises_error
from tests.factories import consent_to, make_panel_experiment

pytestmark = pytest.mark.django_db

SMALL = DesignRequest(panels=2, seats=2, size=4, factors=("session",), sessions=2)


@pytest.fixture(scope="module")
def shared_experiment(module_db: None) -> Experiment:
    return make_panel_experiment()


def adopt(experiment: Experiment, wanted: DesignRequest = SMALL, **how: Any) -> Design:
    draft = designs.draft_design(experiment=experiment, wanted=wanted)
    return designs.adopt_draft(experiment=experiment, draft=draft, actor=experiment.owner, **how)


def rows() -> dict[str, int]:
    return {model.__name__: model.objects.count() for model in (Design, Panel, Seat, Ballot, Trial, Slot, Invitation)}


# --- Drafts -----------------------------------------------------------------------------------------------------------


def test_a_draft_writes_nothing_and_the_same_request_gives_the_same_draft(experiment: Experiment) -> None:
    before = rows()
    first = designs.draft_design(experiment=experiment, wanted=SMALL)
    again = designs.draft_design(experiment=experiment, wanted=SMALL)
    assert rows() == before
    assert (first.sha256, first.report) == (again.sha256, again.report)
    assert (
        first.sha256
        != designs.draft_design(experiment=experiment, wanted=DesignRequest(**{**vars(SMALL), "seed": "1"})).sha256
    )


def test_a_report_says_how_levels_are_shared_out(experiment: Experiment) -> None:
    report = designs.draft_design(experiment=experiment, wanted=SMALL).report
    assert [(share["level"], share["target"], share["counts"]) for share in report["shares"]] == [
        ("S01", 2.0, (2, 2)),
        ("S21", 2.0, (2, 2)),
    ]
    assert {finding["key"] for finding in report["findings"]} >= {"votes_per_cell", "item_repeats", "minutes"}
    assert report["plan"]["optimal"] is True


# --- Adopting ---------------------------------------------------------------------------------------------------------


def test_every_seat_gets_the_pages_of_its_sequence(experiment: Experiment) -> None:
    draft = designs.draft_design(experiment=experiment, wanted=SMALL)
    design = designs.adopt_draft(experiment=experiment, draft=draft, actor=experiment.owner)
    experiment.refresh_from_db()
    assert design.sha256 == draft.sha256 == experiment.layout_sha256
    assert tuple(sequences_of(experiment)) == draft.layout.sequences
    assert [(seat.panel.number, seat.number, seat.occupancy, seat.state) for seat in Seat.objects.all()] == [
        (panel, seat, 1, "open") for panel in (1, 2) for seat in (1, 2)
    ]
    for ballot in Ballot.objects.all():
        asked = Counter((trial.kind, trial.session, trial.ask[0]) for trial in ballot.trials.all())
        assert asked == Counter(
            {(kind, session, scale): count for kind, session, count in PAGES for scale in ("SIG", "BAK", "OVRL")}
        )
        assert ballot.kind == Ballot.Kind.MAIN
    assert set(Ballot.objects.values_list("seed", flat=True)) == {f"panel {p} seat {s}" for p in (1, 2) for s in (1, 2)}


PAGES = (("practice", 0, 2), ("test", 1, 4), ("test", 2, 4))


def test_a_design_for_one_question_a_page_is_read_back_the_same() -> None:
    experiment = make_panel_experiment(protocol="acr", label_set="acr-en-1")
    design = adopt(experiment)
    assert Trial.objects.count() == 4 * 10
    assert designs.verify_design(Experiment.objects.get(pk=experiment.pk)).sha256 == design.sha256


def test_without_references_practice_is_drawn_from_items_that_no_panel_rates() -> None:
    experiment = make_panel_experiment(references=0, options={"practice": 3})
    draft = designs.draft_design(experiment=experiment, wanted=DesignRequest(panels=2, seats=2, size=3, sessions=1))
    practised, rated = draft.layout.request.references, {item for part in draft.layout.request.subsets for item in part}
    assert len(practised) == 3
    assert {condition for _, condition in practised} == {"C0", "C1"}
    assert not {item for item, _ in practised} & rated
    assert "after 3 practice clips" in draft.report["sentence"]
    assert next(one["value"] for one in draft.report["findings"] if one["key"] == "practice") == "3"
    design = designs.adopt_draft(experiment=experiment, draft=draft, actor=experiment.owner)
    assert Trial.objects.filter(kind="practice", session=0).count() == 4 * 3 * 3
    assert designs.verify_design(Experiment.objects.get(pk=experiment.pk)).sha256 == design.sha256


def test_where_every_item_is_rated_practice_is_drawn_from_them_and_0_means_none() -> None:
    experiment = make_panel_experiment(references=0, options={"practice": 2})
    assert len(designs.draft_design(experiment=experiment, wanted=SMALL).layout.request.references) == 2
    without = make_panel_experiment(references=2, options={"practice": 0})
    draft = designs.draft_design(experiment=without, wanted=SMALL)
    assert draft.layout.request.references == []
    [finding] = [one for one in draft.report["findings"] if one["key"] == "practice"]
    assert (finding["value"], finding["verdict"]) == ("0", "warn")


def test_a_second_design_replaces_the_first_without_a_trace_but_the_log(experiment: Experiment) -> None:
    adopt(experiment)
    once = rows()
    panels.invite(panel=Panel.objects.all()[0], count=3, now=timezone.now(), actor=experiment.owner)
    adopt(experiment, DesignRequest(panels=4, seats=3, size=2, sessions=1))
    assert rows() == {
        "Design": 1,
        "Panel": 4,
        "Seat": 12,
        "Ballot": 12,
        "Trial": 12 * 3 * 6,
        "Slot": 12 * 3 * 6,
        "Invitation": 0,
    }
    entry = AuditEntry.objects.filter(action="design.adopted").latest("id")
    assert entry.before == {"seats": 4, "links": 3}
    adopt(experiment)
    assert rows() == once
    assert designs.verify_design(Experiment.objects.get()).holds


def test_a_rehearsal_that_was_finished_stays_behind_the_new_seats(experiment: Experiment) -> None:
    adopt(experiment, DesignRequest(panels=4, seats=1, size=2, sessions=1))
    rehearsed = panels.add_seats(
        panel=panels.panel_of(experiment=experiment, number=4), count=2, kind=Ballot.Kind.REHEARSAL
    )
    Seat.objects.filter(pk=rehearsed[0].pk).update(state=Seat.State.FINISHED, taken_at=timezone.now())
    adopt(experiment, DesignRequest(panels=1, seats=3, size=8, sessions=1))
    main = Seat.objects.filter(ballot__kind=Ballot.Kind.MAIN)
    assert [(seat.panel.number, seat.number) for seat in main] == [(1, 1), (1, 2), (1, 3)]
    [kept] = Seat.objects.exclude(ballot__kind=Ballot.Kind.MAIN)
    assert (kept.pk, kept.panel.number) == (rehearsed[0].pk, 1)
    assert kept.number > 3
    assert Panel.objects.count() == 1


def test_nothing_is_laid_out_once_a_seat_is_taken_or_the_experiment_is_live(experiment: Experiment) -> None:
    adopt(experiment)
    before = rows()
    Seat.objects.filter(number=1, panel__number=1).update(state=Seat.State.TAKEN)
    with raises_error("design.seats_taken", match="1 seats"):
        adopt(experiment)
    Seat.objects.update(state=Seat.State.OPEN)
    live = go_live(experiment=experiment, actor=experiment.owner)
    with raises_error("experiment.wrong_state"):
        adopt(live)
    assert rows() == before


def test_going_live_freezes_the_layout_under_the_experiments_hash(experiment: Experiment) -> None:
    adopt(experiment)
    first = go_live(experiment=Experiment.objects.get(), actor=experiment.owner).design_sha256
    other = make_panel_experiment(experiment.owner, collection=experiment.collection)
    adopt(other, DesignRequest(**{**vars(SMALL), "seed": "1"}))
    second = go_live(experiment=Experiment.objects.get(pk=other.pk), actor=experiment.owner).design_sha256
    assert first != second


def test_no_main_seat_can_be_added_to_a_designed_panel(experiment: Experiment) -> None:
    adopt(experiment)
    with pytest.raises(AppError):
        panels.add_seats(panel=Panel.objects.all()[0], count=1)
    assert Seat.objects.count() == 4


def test_a_listener_sits_down_in_a_designed_seat(experiment: Experiment) -> None:
    adopt(experiment)
    go_live(experiment=Experiment.objects.get(), actor=experiment.owner)
    seat = Seat.objects.all()[0]
    visit = consent_to(seat)
    assert visit.seat.ballot.trials.count() == 30
    assert designs.verify_design(Experiment.objects.get()).holds


def test_a_design_that_dies_half_way_leaves_the_old_one_and_is_cleared_away_later(experiment: Experiment) -> None:
    adopt(experiment)
    before = rows()

    class Killed(Exception):
        pass

    def die(done: int, total: int, note: str) -> None:
        if done == total:
            raise Killed

    with pytest.raises(Killed):
        adopt(experiment, DesignRequest(panels=1, seats=3, size=8, sessions=1), progress=die)
    assert Ballot.objects.filter(kind=Ballot.Kind.MAIN).count() == before["Ballot"]
    assert Ballot.objects.count() == before["Ballot"] + 3
    assert designs.verify_design(Experiment.objects.get()).holds
    adopt(experiment)
    assert rows() == before


def test_a_design_whose_ballots_another_cleared_away_is_rejected(experiment: Experiment) -> None:
    @contextmanager
    def late() -> Any:
        design_seats.discard_unseated(experiment)
        yield

    with raises_error("design.changed_meanwhile"):
        adopt(experiment, fence=late)


def test_many_seats_are_written_in_pieces(experiment: Experiment) -> None:
    told: list[tuple[int, int]] = []
    adopt(
        experiment,
        DesignRequest(panels=1, seats=2 * design_seats.SEATS_AT_ONCE + 1, size=2, sessions=1),
        progress=lambda done, total, note: told.append((done, total)),
    )
    piece = design_seats.SEATS_AT_ONCE
    assert [done for done, _ in told] == [0, piece, 2 * piece, 2 * piece + 1]


# --- Verifying --------------------------------------------------------------------------------------------------------


def test_a_design_that_was_tampered_with_no_longer_holds(experiment: Experiment) -> None:
    adopt(experiment)
    assert designs.verify_design(Experiment.objects.get()).holds
    changed, *others = Slot.objects.filter(trial__ballot__seat=Seat.objects.all()[0]).order_by("trial__position", "key")
    stranger = next(slot for slot in others if slot.stimulus_id != changed.stimulus_id)
    Slot.objects.filter(pk=changed.pk).update(stimulus=stranger.stimulus)
    found = designs.verify_design(Experiment.objects.get())
    assert not found.is_unchanged
    assert not found.holds


def test_an_experiment_without_a_design_cannot_be_verified(experiment: Experiment) -> None:
    with raises_error("design.missing"):
        designs.verify_design(experiment)
