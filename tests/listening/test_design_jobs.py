"""What a design is made of, and the job that lays out the one that was tried."""

from typing import Any

import pytest

from core.models import Job
from core.services import jobs
from core.worker import work
from listening.design.wishes import Wanted
from listening.design_errors import CellsMissing, ConditionUnknown, NothingToDesign, PlannedSingly
from listening.models import Design
from listening.services import designs
from listening.services.material import material_of
from rating.errors import WrongState
from rating.models import Experiment
from rating.protocols.acr import AbsoluteCategoryRating
from rating.protocols.base import TrialPlan
from stimuli.services.collections import add_stimulus
from tests.factories import make_panel_experiment, make_user, tone

pytestmark = pytest.mark.django_db

SMALL = Wanted(panels=2, seats=2, size=4, factors=("session",), sessions=2)


@pytest.fixture
def experiment() -> Experiment:
    return make_panel_experiment()


# --- Material ---------------------------------------------------------------------------------------------------------


def test_the_rated_conditions_and_the_references_are_told_apart(experiment: Experiment) -> None:
    material = material_of(experiment)
    assert [sample.name for sample in material.samples] == [f"s{n:02d}" for n in range(8)]
    assert list(material.conditions) == ["C0", "C1"]
    assert list(material.references) == [("i00_f1", "ref"), ("i01_f1", "ref")]
    assert material.factor_levels() == {"session": 2, "location": 2}
    assert material.clip_s["s00", "C0"] > 0


def test_missing_cells_are_named_exactly() -> None:
    experiment = make_panel_experiment(left_out=("s03", "C1"))
    with pytest.raises(CellsMissing) as caught:
        material_of(experiment)
    assert caught.value.data["missing"] == ["s03 x C1"]
    assert "s03 x C1" in str(caught.value)
    assert len(material_of(experiment, ["C0"]).samples) == 8  # a condition that is left out needs nothing


def test_an_unknown_condition_and_a_collection_of_references_are_refused(experiment: Experiment) -> None:
    with pytest.raises(ConditionUnknown, match="C7"):
        material_of(experiment, ["C7"])
    with pytest.raises(ConditionUnknown, match="ref"):
        material_of(experiment, ["ref"])
    with pytest.raises(NothingToDesign):
        material_of(make_panel_experiment(items=0))


def test_a_protocol_that_plans_each_seat_by_itself_is_refused(
    experiment: Experiment, monkeypatch: pytest.MonkeyPatch
) -> None:
    def alone(*args: Any, **kwargs: Any) -> tuple[TrialPlan, ...]:
        return ()

    monkeypatch.setattr(AbsoluteCategoryRating, "show", alone)
    experiment.protocol = "acr"
    with pytest.raises(PlannedSingly):
        material_of(experiment)


# --- In the background ------------------------------------------------------------------------------------------------


def run(job: Job) -> Job:
    claimed = jobs.claim(worker="test", names=[job.name], job_id=job.pk)
    assert claimed is not None
    work(claimed)
    job.refresh_from_db()
    return job


@pytest.mark.django_db(transaction=True)
def test_the_job_lays_out_the_design_that_was_tried() -> None:
    experiment = make_panel_experiment()
    sha256 = designs.draft_design(experiment=experiment, wanted=SMALL).sha256
    job = run(designs.ask_for_design(experiment=experiment, wanted=SMALL, sha256=sha256, actor=experiment.owner))
    assert (job.state, job.progress_done, job.progress_total) == ("done", 4, 4)
    assert Design.objects.get().sha256 == sha256


@pytest.mark.django_db(transaction=True)
def test_the_job_lays_out_nothing_when_the_collection_has_changed_since() -> None:
    experiment = make_panel_experiment()
    sha256 = designs.draft_design(experiment=experiment, wanted=SMALL).sha256
    for condition in ("C0", "C1"):
        factors = {"session": "S01", "location": "dining"}
        add_stimulus(
            collection=experiment.collection, item="a new one", condition=condition, content=tone(500), factors=factors
        )
    job = run(designs.ask_for_design(experiment=experiment, wanted=SMALL, sha256=sha256, actor=experiment.owner))
    assert job.progress_note.startswith("The collection has changed since")
    assert not Design.objects.exists()


def test_a_job_that_could_only_be_refused_is_not_begun(experiment: Experiment) -> None:
    live = make_panel_experiment(make_user(), live=True)
    with pytest.raises(WrongState):
        designs.ask_for_design(experiment=live, wanted=SMALL, sha256="", actor=live.owner)
    assert not Job.objects.exists()
