"""import_dataset: the experiment is there again, and its results are the same to the last digit."""

import io
import re
import shutil
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from analysis.services.results import read_result
from listening.models import Exclusion, QuestionAnswer, Seat
from rating.models import Experiment, TextVersion, Vote
from stimuli import storage
from stimuli.models import Collection, Recording
from tests.analysis.dataset_material import eventful_experiment, files_of, named, packed, table, written
from tests.analysis.p835_material import refresh
from tests.factories import make_user

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def shared_experiment(module_db: None) -> Experiment:
    return named(eventful_experiment())


@pytest.fixture(scope="module")
def whole(shared_experiment: Experiment) -> bytes:
    return packed(shared_experiment)


@pytest.fixture(scope="module")
def copy(
    shared_experiment: Experiment, whole: bytes, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Experiment, str]:
    """What the dataset was imported as by its owner, and what was said."""
    return imported(kept(tmp_path_factory.mktemp("copy") / "dataset.zip", whole), shared_experiment.owner.username)


def imported(place: Path, owner: str, **how: object) -> tuple[Experiment, str]:
    before = set(Experiment.objects.values_list("pk", flat=True))
    out = io.StringIO()
    call_command("import_dataset", str(place), owner=owner, stdout=out, stderr=io.StringIO(), **how)
    return Experiment.objects.exclude(pk__in=before).get(), out.getvalue()


def kept(place: Path, data: bytes) -> Path:
    place.write_bytes(data)
    return place


# What is of this server alone.
OWN = {"row_id", "experiment", "trial_id", "ballot_id", "visit_id", "answer", "event_id", "seal", "chain"}


def comparable(files: dict[str, bytes], name: str) -> list[dict[str, str]]:
    return [{key: cell for key, cell in row.items() if key not in OWN} for row in table(files, name)]


def test_the_copy_has_the_same_answers_and_the_same_results(
    experiment: Experiment, whole: bytes, copy: tuple[Experiment, str]
) -> None:
    made, said = copy
    assert (
        f"Re-created the experiment '{made.slug}' with {Vote.objects.filter(ballot__experiment=made).count()}" in said
    )
    assert f"The short name '{experiment.slug}' is taken" in said
    assert (made.collection, made.state, made.design_sha256) == (
        experiment.collection,
        Experiment.State.CLOSED,
        experiment.design_sha256,
    )
    refresh()
    theirs, ours = (read_result(experiment=one, slug="mos", simulated=False, long=True) for one in (experiment, made))
    assert ours["table"] == theirs["table"]
    assert {"model_level", "rows"} <= ours["table"].keys()
    assert ours["vote_count"] == theirs["vote_count"] > 100
    first, second = files_of(whole), files_of(packed(made))
    for name in ("responses", "participants", "seats", "trials", "answers", "checks", "interruptions", "exclusions"):
        assert comparable(second, name) == comparable(first, name), name
    for name in ("visits", "texts", "labels", "stimuli", "questionnaire"):
        assert comparable(second, name) == comparable(first, name), name
    assert second["results/means.csv"] == first["results/means.csv"]
    call_command("verify_votes", experiment=made.slug, stdout=io.StringIO())


def test_sounds_that_the_server_lacks_come_from_a_folder(experiment: Experiment, whole: bytes, tmp_path: Path) -> None:
    place, sounds = kept(tmp_path / "dataset.zip", whole), tmp_path / "sounds" / "deep"
    sounds.mkdir(parents=True)
    stranger = make_user()
    gone = Recording.objects.filter(stimuli__item__collection=experiment.collection).order_by("sha256")[:2]
    for number, recording in enumerate(gone):
        with storage.local_file(str(recording.file.name)) as source, (sounds / f"{number}.wav").open("wb") as target:
            shutil.copyfileobj(source, target)
    hidden = {row.pk: row.sha256 for row in gone}
    for pk, sha256 in hidden.items():
        Recording.objects.filter(pk=pk).update(sha256=sha256[::-1])  # as if this server had never had them
    experiments, collections = Experiment.objects.count(), Collection.objects.count()
    with pytest.raises(CommandError, match="2 sounds of the dataset are neither on this server") as error:
        imported(place, stranger.username)
    assert all(sha256 in str(error.value) for sha256 in hidden.values())
    assert (Experiment.objects.count(), Collection.objects.count()) == (experiments, collections)
    made, said = imported(place, stranger.username, sounds=tmp_path / "sounds")
    assert f"The collection '{made.collection.slug}' was made of 11 stimuli." in said
    assert (made.owner, made.design_sha256) == (stranger, experiment.design_sha256)
    assert made.collection != experiment.collection


def test_everything_around_the_answers_is_restored(copy: tuple[Experiment, str]) -> None:
    made, _said = copy
    assert [seat.state for seat in Seat.objects.filter(panel__experiment=made)] == [
        *("finished", "finished", "taken", "taken", "abandoned", "open", "open")
    ]
    assert [entry.lifted_reason for entry in Exclusion.objects.of_experiment(made)] == ["a mistake", ""]
    assert set(QuestionAnswer.objects.filter(seat__panel__experiment=made).values_list("value", flat=True)) == {
        "25_34",
        "35_44",
    }
    assert [version.debrief for version in TextVersion.objects.filter(experiment=made)] == ["", "Thank you."]
    revised = Vote.objects.filter(ballot__experiment=made, revision=2).get()
    assert revised.trial.current_vote == revised


def test_what_cannot_be_imported_is_refused_with_the_reason(
    experiment: Experiment, whole: bytes, tmp_path: Path
) -> None:
    place = tmp_path / "dataset.zip"
    count = Experiment.objects.count()
    with pytest.raises(CommandError, match="is an anonymous edition"):
        imported(kept(place, packed(experiment, anonymous=True, k=2)), experiment.owner.username)
    with pytest.raises(CommandError, match="conditions are letters"):
        Experiment.objects.filter(pk=experiment.pk).update(unblinded_at=None)
        imported(kept(place, packed(Experiment.objects.get(pk=experiment.pk))), experiment.owner.username)
    with pytest.raises(CommandError, match="is no dataset of Earmark"):
        Experiment.objects.filter(pk=experiment.pk).update(unblinded_at=experiment.unblinded_at)
        files = files_of(whole)
        (path,) = (name for name in files if name.endswith("description-visits_data.csv"))
        spoilt = files | {path: re.sub(rb"\d{4}-\d\d-\d\dT", b"soon T", files[path])}
        imported(written(place, spoilt), experiment.owner.username)
    with pytest.raises(CommandError, match="There is no account 'nobody'"):
        imported(place, "nobody")
    with pytest.raises(CommandError, match="is no folder"):
        imported(place, experiment.owner.username, sounds=tmp_path / "nowhere")
    assert Experiment.objects.count() == count
