"""Material of a design, and the job that applies the design that was previewed."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone
from django.utils.html import escape

from core.i18n import translate_messages
from core.jobs import queue
from core.jobs.worker import work
from core.models import Job
from listening.design.base import DesignRequest
from listening.models import Design
from listening.panels.services import designs, panels
from listening.panels.services.design_seats import sequences_of
from listening.panels.services.material import material_of
from protocols.acr.protocol import AbsoluteCategoryRating
from rating.models import Experiment, Trial
from rating.protocol import PageHolds
from rating.services.experiments import go_live, pause
from stimuli.models import Condition
from stimuli.services.collections import add_stimulus
from tests.errors import raises_error
from tests.factories import make_panel_experiment, make_user, tone

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("_planned_here")]

SMALL = DesignRequest(panels=2, seats=2, size=4, factors=("session",), sessions=2)


@pytest.fixture(scope="module")
def shared_experiment(module_db: None) -> Experiment:
    return make_panel_experiment()


# --- Material ---------------------------------------------------------------------------------------------------------


def test_the_rated_conditions_and_the_references_are_told_apart(experiment: Experiment) -> None:
    material = material_of(experiment)
    assert [sample.name for sample in material.samples] == [f"s{n:02d}" for n in range(8)]
    assert list(material.conditions) == ["C0", "C1"]
    assert list(material.references) == [("i00_f1", "ref"), ("i01_f1", "ref")]
    assert material.factor_levels() == {"session": 2, "location": 2}
    assert material.showing_s["s00", "C0"] > 0


def test_missing_cells_are_named_exactly() -> None:
    experiment = make_panel_experiment(left_out=("s03", "C1"))
    with raises_error("design.cells_missing") as caught:
        material_of(experiment)
    assert caught.value.data["missing"] == ["s03 x C1"]
    assert "s03 x C1" in str(caught.value)
    assert len(material_of(experiment, ["C0"]).samples) == 8  # a condition that is left out needs nothing


def test_an_unknown_condition_and_a_collection_of_references_are_rejected(experiment: Experiment) -> None:
    with raises_error("design.unknown_condition", match="C7"):
        material_of(experiment, ["C7"])
    with raises_error("design.unknown_condition", match="ref"):
        material_of(experiment, ["ref"])
    with raises_error("design.nothing"):
        material_of(make_panel_experiment(items=0))


def test_a_protocol_that_plans_each_seat_by_itself_is_rejected(experiment: Experiment) -> None:
    experiment.protocol = "chaptering"
    with raises_error("design.not_for_protocol"):
        material_of(experiment)


@pytest.mark.parametrize(
    ("holds", "conditions", "slots"),
    [
        (PageHolds.STIMULUS, ["C0", "C1"], 1),
        (PageHolds.PAIR, ["C0", "C1"], 2),
        (PageHolds.ITEM, ["*"], 3),
    ],
)
def test_a_page_of_a_design_may_hold_several_stimuli(
    holds: PageHolds, conditions: list[str], slots: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Subsets, panels and orders are laid out over pages, whatever a page holds, and are read back as they were."""
    monkeypatch.setattr(AbsoluteCategoryRating, "page_holds", holds)
    experiment = make_panel_experiment(protocol="acr", label_set="acr-en-1", items=4, references=0)
    for item in experiment.collection.items.all():
        role = Condition.Role.REFERENCE
        add_stimulus(collection=experiment.collection, item=item.name, condition="ref", content=tone(400), role=role)
    material = material_of(experiment)
    assert (material.conditions, bool(material.references)) == (conditions, holds is PageHolds.STIMULUS)
    wanted = DesignRequest(preset="crossed", panels=2, seats=2, size=2, sessions=2, seed="1")
    draft = designs.draft_design(experiment=experiment, wanted=wanted)
    designs.adopt_draft(experiment=experiment, draft=draft, actor=experiment.owner)
    assert list(sequences_of(experiment)) == list(draft.layout.sequences)
    trials = Trial.objects.filter(ballot__experiment=experiment, kind="test")
    assert {trial.slots.count() for trial in trials} == {slots}
    assert all(len(set(trial.slots.values_list("stimulus__item__name"))) == 1 for trial in trials)


# --- In the background ------------------------------------------------------------------------------------------------


def run(job: Job) -> Job:
    claimed = queue.claim(worker="test", names=[job.name], job_id=job.pk)
    assert claimed is not None
    work(claimed)
    job.refresh_from_db()
    return job


def test_the_job_lays_out_the_design_that_was_tried(experiment: Experiment) -> None:
    sha256 = designs.draft_design(experiment=experiment, wanted=SMALL).sha256
    job = run(designs.ask_for_design(experiment=experiment, wanted=SMALL, sha256=sha256, actor=experiment.owner))
    assert (job.state, job.progress_done, job.progress_total) == ("done", 4, 4)
    assert Design.objects.get().sha256 == sha256


def test_the_job_lays_out_nothing_when_the_collection_has_changed_since(experiment: Experiment) -> None:
    sha256 = designs.draft_design(experiment=experiment, wanted=SMALL).sha256
    for condition in ("C0", "C1"):
        factors = {"session": "S01", "location": "dining"}
        add_stimulus(
            collection=experiment.collection, item="a new one", condition=condition, content=tone(500), factors=factors
        )
    job = run(designs.ask_for_design(experiment=experiment, wanted=SMALL, sha256=sha256, actor=experiment.owner))
    assert job.error.startswith("The collection has changed since")
    assert job.state == Job.State.FAILED, "what was discarded is not done"
    assert not Design.objects.exists()


def test_a_job_that_could_only_be_rejected_is_not_begun(experiment: Experiment) -> None:
    live = make_panel_experiment(make_user(), live=True)
    with raises_error("experiment.wrong_state"):
        designs.ask_for_design(experiment=live, wanted=SMALL, sha256="", actor=live.owner)
    assert not Job.objects.exists()


def test_nobody_goes_live_while_the_design_is_being_laid_out(client: Client) -> None:
    """It would be frozen without the design, and the design discarded."""
    experiment = make_panel_experiment(seats=1)
    sha256 = designs.draft_design(experiment=experiment, wanted=SMALL).sha256
    job = designs.ask_for_design(experiment=experiment, wanted=SMALL, sha256=sha256, actor=experiment.owner)
    with raises_error("experiment.busy", match=designs.apply_design.name):
        go_live(experiment=experiment, actor=experiment.owner)
    Job.objects.update(state=Job.State.RUNNING, lease_until=timezone.now() + timedelta(hours=1))
    client.force_login(experiment.owner)
    refused = client.post(f"/experiments/{experiment.slug}/state/live/", follow=True)
    assert "still at work on this experiment" in refused.content.decode()
    assert Experiment.objects.get(pk=experiment.pk).state == "draft"
    asked = client.get(f"/experiments/{experiment.slug}/live/").content.decode()
    assert "The design is being applied." in asked
    assert "Nothing is missing" not in asked
    Job.objects.update(state=Job.State.QUEUED, lease_until=None)
    assert run(job).state == Job.State.DONE
    assert Design.objects.get().sha256 == sha256
    asked = client.get(f"/experiments/{experiment.slug}/live/").content.decode()
    assert "Nothing is missing" in asked
    assert escape(translate_messages(designs.current_report(Design.objects.get()), str)["sentence"]) in asked
    live = go_live(experiment=experiment, actor=experiment.owner)
    assert (live.state, live.layout_sha256) == ("live", sha256)


def test_a_job_of_another_experiment_or_one_that_has_ended_keeps_nobody_from_going_live() -> None:
    experiment, other = make_panel_experiment(seats=1), make_panel_experiment()
    for busy in (experiment, other):
        sha256 = designs.draft_design(experiment=busy, wanted=SMALL).sha256
        designs.ask_for_design(experiment=busy, wanted=SMALL, sha256=sha256, actor=busy.owner)
    Job.objects.filter(arguments__experiment_id=str(experiment.pk)).update(state=Job.State.FAILED)
    assert go_live(experiment=experiment, actor=experiment.owner).state == "live"


def test_nobody_goes_live_while_seats_are_being_made() -> None:
    experiment = make_panel_experiment(seats=1)
    job = panels.ask_for_panel(experiment=experiment, seats=5, actor=experiment.owner)
    with raises_error("experiment.busy", match=panels.fill_panel.name):
        go_live(experiment=experiment, actor=experiment.owner)
    assert run(job).state == Job.State.DONE
    live = go_live(experiment=experiment, actor=experiment.owner)
    # What is live may get more seats, and a pause in between may end.
    panels.ask_for_panel(experiment=live, seats=5, actor=live.owner)
    pause(experiment=live, actor=live.owner)
    assert go_live(experiment=live, actor=live.owner).state == "live"


def test_a_job_that_is_rejected_in_the_end_is_not_done_and_the_page_says_why(client: Client) -> None:
    experiment = make_panel_experiment(seats=1)
    sha256 = designs.draft_design(experiment=experiment, wanted=SMALL).sha256
    job = designs.ask_for_design(experiment=experiment, wanted=SMALL, sha256=sha256, actor=experiment.owner)
    Experiment.objects.update(state=Experiment.State.LIVE, design_sha256="a" * 64)
    assert run(job).state == Job.State.FAILED
    assert "needs it to be draft" in job.error
    client.force_login(experiment.owner)
    page = client.get(f"/experiments/{experiment.slug}/design/").content.decode()
    assert "The design was not applied" in page
    assert "needs it to be draft" in page
