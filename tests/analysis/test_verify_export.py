"""verify_export: a dataset as it was made passes, and each planted defect is named by the check that finds it."""

import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from rating.models import Vote
from rating.services.votes import cast_vote
from tests.analysis.dataset_material import Files, eventful_experiment, files_of, named, packed, written
from tests.factories import make_experiment, seated_visit, vote_event
from tests.scale import ALL

pytestmark = pytest.mark.django_db
LISTENERS = 4 if ALL else 2


@pytest.fixture(scope="module")
def editions(module_db: None) -> dict[str, bytes]:
    """The anonymous edition from before unblinding, and then all of it."""
    experiment = eventful_experiment(listeners=LISTENERS)
    return {"anonymous": packed(experiment, anonymous=True, k=2), "whole": packed(named(experiment))}


@pytest.fixture(scope="module")
def whole(editions: dict[str, bytes]) -> bytes:
    return editions["whole"]


def verified(place: Path) -> tuple[list[str], str]:
    """The lines, and the sentence at the end where there are defects."""
    out = io.StringIO()
    try:
        call_command("verify_export", str(place), stdout=out)
    except CommandError as error:
        return out.getvalue().splitlines(), str(error)
    return out.getvalue().splitlines(), ""


def changed(files: Files, table: str, change: Callable[[list[str]], None]) -> Files:
    (path,) = (name for name in files if name.endswith(f"description-{table}_data.csv"))
    lines = files[path].decode().splitlines(keepends=True)
    change(lines)
    return files | {path: "".join(lines).encode()}


def test_a_dataset_as_it_was_made_passes_every_check(whole: bytes, tmp_path: Path, db: None) -> None:
    place = tmp_path / "dataset.zip"
    place.write_bytes(whole)
    lines, problem = verified(place)
    assert problem == ""
    assert [line.split()[0] for line in lines] == ["ok"] * 11, lines


def drop(lines: list[str]) -> None:
    del lines[LISTENERS + 1]  # of the seats the one that was released, with an answer


def move(lines: list[str]) -> None:
    lines[2], lines[3] = lines[3], lines[2]


def replace(old: str, new: str) -> Callable[[list[str]], None]:
    def change(lines: list[str]) -> None:
        number = next(number for number, line in enumerate(lines) if number and old in line)
        lines[number] = lines[number].replace(old, new, 1)

    return change


@pytest.mark.parametrize(
    ("table", "change", "found"),
    [
        ("answers", drop, ["rows", "answers", "marks", "vote chain"]),
        ("answers", move, ["vote chain"]),
        ("answers", replace("{", "{ "), []),  # the control: JSON with a blank is the same JSON
        ("responses", drop, ["rows", "marks"]),
        ("responses", replace(",SIG,", ",BAK,"), ["marks"]),
        ("trials", replace("secretnoisy", "secretother"), ["plans"]),
        ("stimuli", replace("secretnoisy", "noisy"), ["design"]),
        ("texts", replace("I agree.", "I do not agree."), ["consent texts"]),
        ("seats", drop, ["rows", "keys", "vote chain"]),
        ("participants", lambda lines: lines.__setitem__(0, lines[0].replace("panel", "table")), ["sidecars"]),
    ],
)
def test_each_defect_is_named_by_its_check(
    whole: bytes, tmp_path: Path, db: None, table: str, change: Callable[[list[str]], None], found: list[str]
) -> None:
    lines, problem = verified(written(tmp_path / "dataset.zip", changed(files_of(whole), table, change)))
    assert [line.split(": ")[0].split(maxsplit=1)[1] for line in lines if line.startswith("DEFECT")] == found
    assert bool(problem) == bool(found)


def test_altered_and_added_files_are_found_by_their_checksums(whole: bytes, tmp_path: Path, db: None) -> None:
    files = files_of(whole)
    spoilt = files | {"README.md": b"another", "more.txt": b"more"}
    lines, problem = verified(written(tmp_path / "dataset.zip", spoilt, sums=False))
    assert lines[0] == "DEFECT   checksums: 'more.txt' is not in the list of checksums. 'README.md' was altered."
    assert problem.endswith("has defects: checksums.")


def test_what_is_no_dataset_or_no_safe_zip_is_refused_with_a_sentence(tmp_path: Path, db: None) -> None:
    place = tmp_path / "other.zip"
    place.write_bytes(b"not a zip")
    assert "is no zip" in verified(place)[1]
    written(place, {"README.md": b"text"})
    assert "is no dataset of Earmark: it has no dataset_description.json" in verified(place)[1]
    with zipfile.ZipFile(place, "w") as archive:
        archive.writestr("../dataset_description.json", b"{}")
    assert "leads out of its folder" in verified(place)[1]
    assert "cannot be read" in verified(tmp_path / "missing.zip")[1]


def test_of_letters_and_the_anonymous_edition_only_what_can_be_is_checked(
    editions: dict[str, bytes], tmp_path: Path, db: None
) -> None:
    place = tmp_path / "dataset.zip"
    place.write_bytes(editions["anonymous"])
    lines, problem = verified(place)
    assert problem == "", lines
    assert [line.split(": ")[0] for line in lines if line.startswith("skipped")] == [
        "skipped  plans",
        "skipped  design",
        "skipped  vote chain",
    ]


def chain_line(place: Path) -> str:
    return next(line for line in verified(place)[0] if " vote chain: " in line)


def test_a_dataset_without_answers_is_not_said_to_be_of_another_server(tmp_path: Path) -> None:
    place = tmp_path / "dataset.zip"
    place.write_bytes(packed(make_experiment(seats=1)))
    assert chain_line(place) == "skipped  vote chain: there are no answers."


def test_the_only_answer_of_a_dataset_that_was_altered_is_a_defect(tmp_path: Path, settings: Any) -> None:
    experiment = make_experiment(seats=1)
    trial = seated_visit(experiment).seat.ballot.trials.earliest("position")
    assert cast_vote(ballot_id=trial.ballot_id, event=vote_event(trial)).status == "stored"
    place = tmp_path / "dataset.zip"
    files = files_of(packed(experiment))
    assert chain_line(written(place, files)).startswith("ok ")
    seal = Vote.objects.get(ballot=trial.ballot_id).seal
    altered = changed(files, "answers", replace(seal, seal[::-1]))
    assert chain_line(written(place, altered)).startswith("DEFECT   vote chain: answer ")
    settings.SEAL_KEYS = ["another key of another server, long enough"]
    assert "sealed by another server, or with another key" in chain_line(written(place, files))
