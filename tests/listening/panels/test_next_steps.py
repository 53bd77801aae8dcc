"""Next steps of an experiment: each line follows from the rows, and leads to the page where it is done."""

from copy import deepcopy

import pytest
from django.test import Client
from django.utils import timezone

from listening.design.base import DesignRequest
from listening.panels.next_steps import Step, StepState, steps_of
from listening.panels.services import monitoring, panels
from listening.panels.services.designs import adopt_draft, draft_design
from rating.models import Ballot, Experiment
from rating.services.experiments import close, go_live, pause, unblind
from tests.factories import consent_to, make_experiment, make_panel_experiment, sit_down

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def shared_experiment(module_db: None) -> Experiment:
    return make_experiment(seats=2)


@pytest.fixture(scope="module")
def shared_draft(module_db: None) -> Experiment:
    return make_panel_experiment()


@pytest.fixture
def draft(shared_draft: Experiment) -> Experiment:
    return deepcopy(shared_draft)


def steps(experiment: Experiment) -> list[Step]:
    return steps_of(Experiment.objects.get(pk=experiment.pk), now=timezone.now())


def states(experiment: Experiment) -> list[str]:
    return [step.state.value for step in steps(experiment)]


def laid_out(experiment: Experiment, preset: str = "crossed") -> Experiment:
    wanted = DesignRequest(preset=preset, panels=1, seats=2, size=8, sessions=2, factors=())
    adopt_draft(experiment=experiment, draft=draft_design(experiment=experiment, wanted=wanted), actor=experiment.owner)
    return Experiment.objects.get(pk=experiment.pk)


def test_a_fresh_draft_needs_a_design_and_seats(draft: Experiment) -> None:
    experiment = draft
    stimuli, words, design, seats, rehearsal = steps(experiment)
    assert (stimuli.state, words.state) == (StepState.DONE, StepState.DONE)
    assert stimuli.sentence == "16 clips: 8 items, 2 conditions."
    assert (design.state, seats.state) == (StepState.OPEN, StepState.OPEN)
    assert rehearsal.state == StepState.CHECK


def test_a_design_brings_the_seats_with_it(draft: Experiment) -> None:
    experiment = laid_out(draft)
    assert StepState.OPEN not in states(experiment)
    assert steps(experiment)[3].sentence == "2 seats in 1 panel."


def test_a_design_with_known_confounds_is_to_be_checked(draft: Experiment) -> None:
    experiment = laid_out(draft, preset="udase-exact")
    assert steps(experiment)[2].state == StepState.CHECK


def test_a_missing_clip_is_counted() -> None:
    stimuli = steps(make_panel_experiment(left_out=("s03", "C1")))[0]
    assert stimuli.state == StepState.OPEN
    assert stimuli.sentence.startswith("1 clip is missing")


def test_a_draft_wording_keeps_it_from_going_live() -> None:
    words = steps(make_panel_experiment(label_set="p835-fr-1"))[1]
    assert words.state == StepState.OPEN
    assert "p835-fr-1" in words.sentence


def test_panels_that_were_made_one_by_one_are_to_be_checked() -> None:
    experiment = make_panel_experiment(seats=2)
    assert states(experiment)[2:4] == ["check", "done"]


def test_a_rehearsal_counts_when_it_has_reached_the_end(draft: Experiment) -> None:
    experiment = laid_out(draft)
    panels.rehearse(experiment=experiment, count=1, now=timezone.now(), actor=experiment.owner)
    assert states(experiment)[-1] == "check"
    experiment.ballots.filter(kind="rehearsal").update(closed_at=timezone.now())
    assert states(experiment)[-1] == "done"


def test_what_is_live_needs_links_until_every_open_seat_has_one(experiment: Experiment) -> None:
    assert steps(experiment)[0].sentence == "2 open seats have no link yet."
    panels.invite(panel=experiment.panels.get(), count=2, now=timezone.now(), actor=None)
    assert states(experiment) == ["done", "going"]


def test_a_rehearsal_link_is_not_a_participant_s_link(experiment: Experiment) -> None:
    now = timezone.now()
    panels.rehearse(experiment=experiment, count=1, now=now, actor=experiment.owner)
    [row] = panels.overview(experiment=experiment, now=now)
    assert (row["open"], row["links"], row["needed"]) == (2, 0, 2)
    panels.invite(panel=experiment.panels.get(), count=1, now=now, actor=None)
    assert steps(experiment)[0].sentence == "1 open seat has no link yet."
    assert [panel["needed"] for panel in monitoring.experiment_status(experiment=experiment, now=now)["needed"]] == [1]


def test_simulated_listeners_use_no_participant_s_link(experiment: Experiment) -> None:
    now = timezone.now()
    [simulated] = panels.add_seats(panel=experiment.panels.get(), count=1, kind=Ballot.Kind.SIMULATED)
    panels.invite_to_seat(seat=simulated, now=now)
    assert [row["needed"] for row in panels.overview(experiment=experiment, now=now)] == [2]


def test_one_link_for_many_is_enough(experiment: Experiment) -> None:
    panels.invite_many(experiment=experiment, now=timezone.now(), actor=None)
    assert states(experiment)[0] == "done"


def test_how_far_people_have_got_is_told_and_a_pause_is_noticed(experiment: Experiment) -> None:
    consent_to(experiment.panels.get().seats.earliest("number"))
    assert steps(experiment)[1].sentence == "0 of 2 seats finished, 1 in progress."
    pause(experiment=experiment, actor=experiment.owner)
    assert steps(experiment)[1].state == StepState.CHECK


def test_a_closed_experiment_leads_to_its_results(experiment: Experiment) -> None:
    close(experiment=experiment, actor=experiment.owner)
    assert states(experiment) == ["done", "open"]
    assert steps(experiment)[-1].address.endswith("/results/")
    unblind(experiment=experiment, actor=experiment.owner, reason="all are in")
    assert states(experiment) == ["done", "done"]


@pytest.mark.parametrize("live", [False, True])
def test_every_line_leads_to_a_page(client: Client, live: bool, draft: Experiment) -> None:
    experiment = laid_out(draft)
    if live:
        experiment = go_live(experiment=experiment, actor=experiment.owner)
        sit_down(experiment)
    client.force_login(experiment.owner)
    page = client.get(f"/experiments/{experiment.slug}/").content.decode()
    for step in steps(experiment):
        assert f'href="{step.address}"' in page
        assert client.get(step.address).status_code == 200


def test_the_first_thing_to_do_is_marked(client: Client, draft: Experiment) -> None:
    experiment = draft
    client.force_login(experiment.owner)
    page = client.get(f"/experiments/{experiment.slug}/").content.decode()
    before, marked, after = page.partition('aria-current="step"')
    assert marked
    assert "No design yet." in after
    assert "There are no seats yet" not in before
