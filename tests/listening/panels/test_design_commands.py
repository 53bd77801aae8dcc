"""Commands of a design: generate, verify, export and import files; plan orders alone."""

import csv
import io
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from listening.models import Design, Seat
from listening.panels.services.design_seats import sequences_of
from rating.models import Experiment, Slot, Trial
from rating.services.experiments import go_live
from tests.factories import consent_to, make_panel_experiment

pytestmark = pytest.mark.django_db

SIZES = {"panels": 4, "seats": 2, "size": 2, "sessions": 4, "factors": "session"}


@pytest.fixture(scope="module")
def shared_experiment(module_db: None) -> Experiment:
    return make_panel_experiment(items=8, conditions=4, references=4)


def said(command: str, *arguments: Any, **options: Any) -> str:
    stream = io.StringIO()
    call_command(command, *map(str, arguments), stdout=stream, **options)
    return stream.getvalue()


def exported(experiment: Experiment, folder: Path, format: str = "csv") -> list[Path]:
    said("export_design", experiment.slug, out=folder, format=format)
    return sorted(folder.iterdir(), key=lambda path: int(path.stem.partition("_")[2]))


def test_a_dry_run_says_what_it_would_be_and_writes_nothing(experiment: Experiment) -> None:
    told = json.loads(said("generate_design", experiment.slug, dry_run=True, as_json=True, **SIZES))
    assert (told["adopted"], len(told["subsets"]), told["settings"]["sessions"]) == (False, 4, 4)
    assert not Seat.objects.exists()
    assert not Design.objects.exists()
    assert "Would lay out 8 seats" in said("generate_design", experiment.slug, dry_run=True, **SIZES)
    assert json.loads(said("generate_design", experiment.slug, as_json=True, **SIZES))["sha256"] == told["sha256"]
    assert Design.objects.get().sha256 == told["sha256"]


def test_what_was_laid_out_is_verified_and_what_was_changed_fails(
    experiment: Experiment, capsys: pytest.CaptureFixture[str]
) -> None:
    said("generate_design", experiment.slug, **SIZES)
    go_live(experiment=Experiment.objects.get(), actor=experiment.owner)
    assert "are those of the design" in said("verify_design", experiment.slug)
    one, other = Slot.objects.filter(trial__session=1).exclude(stimulus__item__name="s00").order_by("pk")[:2]
    stranger = Slot.objects.get(
        trial__ballot=one.trial.ballot, trial__position=Trial.objects.filter(ballot=one.trial.ballot).count()
    )
    Slot.objects.filter(trial__in=[one.trial, other.trial]).update(stimulus=stranger.stimulus)
    with pytest.raises(SystemExit) as caught:
        said("verify_design", experiment.slug, as_json=True)
    assert caught.value.code == 1
    with pytest.raises(SystemExit):
        said("verify_design", experiment.slug)
    assert "have changed" in capsys.readouterr().err


@pytest.mark.parametrize("format", ["csv", "json"])
def test_files_that_were_taken_away_come_back_as_the_same_design(
    experiment: Experiment, tmp_path: Path, format: str
) -> None:
    said("generate_design", experiment.slug, **SIZES)
    before, design = tuple(sequences_of(experiment)), Design.objects.get()
    files = exported(experiment, tmp_path / "out", format)
    assert [path.name for path in files] == [f"subject_{number}.{format}" for number in range(1, 9)]
    said("import_design", experiment.slug, *reversed(files))
    assert tuple(sequences_of(experiment)) == before
    assert Design.objects.get().sha256 == design.sha256
    assert Design.objects.get().preset == "imported"
    assert "are those of the design" in said("verify_design", experiment.slug)


def test_the_exact_preset_gives_files_of_the_published_structure(experiment: Experiment, tmp_path: Path) -> None:
    """Scaled down from 208 clips: references first, half in each order; four sessions; order tied to the panel."""
    said("generate_design", experiment.slug, preset="udase-exact", **SIZES)
    for number, path in enumerate(exported(experiment, tmp_path), start=1):
        rows = list(csv.DictReader(path.read_text().splitlines()))
        panel = (number + 1) // 2
        assert list(rows[0]) == ["", "subset", "session", "file", "scale"]
        assert [row[""] for row in rows] == [str(n) for n in range(len(rows))]
        assert {row["subset"] for row in rows} == {str(panel)}
        assert Counter(row["session"] for row in rows) == {"0": 12, **{str(s): 6 for s in range(1, 5)}}
        groups = [rows[start : start + 3] for start in range(0, len(rows), 3)]
        assert all(len({row["file"] for row in group}) == 1 for group in groups)
        assert {row["scale"] for group in groups for row in group[2:]} == {"OVRL"}
        first = {s: {group[0]["scale"] for group in groups if group[0]["session"] == s} for s in "01234"}
        begins, ends = ("SIG", "BAK") if panel <= 2 else ("BAK", "SIG")
        assert first == {"0": {"SIG", "BAK"}, "1": {begins}, "2": {begins}, "3": {ends}, "4": {ends}}


def as_script(records: list[dict[str, Any]]) -> str:
    return "all_trials = " + json.dumps([{**one, "end_experiment": "false"} for one in records], indent=1)[:-2] + ",\n]"


def test_one_file_of_the_original_player_is_one_seat_that_can_be_sat_in(experiment: Experiment, tmp_path: Path) -> None:
    said("generate_design", experiment.slug, **SIZES)
    path = exported(experiment, tmp_path, "json")[6]
    script = tmp_path / "subject_7.modified.json"
    script.write_text(as_script(json.loads(path.read_text())))
    sequence = list(sequences_of(experiment))[6]
    assert "Imported 1 seats in 1 panels" in said("import_design", experiment.slug, script)
    [seat] = Seat.objects.all()
    go_live(experiment=Experiment.objects.get(), actor=experiment.owner)
    assert consent_to(seat).seat.ballot.trials.count() == 36
    [found] = sequences_of(experiment)
    assert found.showings == sequence.showings


def test_a_bad_file_changes_nothing_and_every_row_is_named(
    experiment: Experiment, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said("generate_design", experiment.slug, **SIZES)
    before = Design.objects.get().sha256
    files = exported(experiment, tmp_path)
    files[3].write_text(files[3].read_text().replace("OVRL", "MOS"))
    with pytest.raises(CommandError, match=r"'subject_4.csv' is no sequence for this experiment: line 4: the scale"):
        said("import_design", experiment.slug, *files)
    assert capsys.readouterr().err.count("the scale is") == 12
    assert Design.objects.get().sha256 == before
    assert Seat.objects.count() == 8


def test_files_that_break_the_balance_are_runnable_and_verified_as_what_they_are(
    experiment: Experiment, tmp_path: Path
) -> None:
    """Three of the files, one of them cut short: the seats are there, and the report says which rules they break."""
    said("generate_design", experiment.slug, **SIZES)
    files = exported(experiment, tmp_path)
    files[0].write_text("".join(files[0].read_text().splitlines(keepends=True)[:-3]))
    assert "Imported 3 seats in 2 panels" in said("import_design", experiment.slug, files[0], files[1], files[2])
    assert Seat.objects.count() == 3
    broken = {finding["key"] for finding in Design.objects.get().report["findings"]}
    assert {"rule.seats", "rule.complete"} <= broken
    with pytest.raises(SystemExit):
        said("verify_design", experiment.slug)


def test_a_file_of_practice_alone_is_refused(experiment: Experiment, tmp_path: Path) -> None:
    path = tmp_path / "subject_1.csv"
    path.write_text(
        "subset,session,file,scale\n" + "".join(f"1,0,data/ref/i00_f1.wav,{s}\n" for s in ("SIG", "BAK", "OVRL"))
    )
    with pytest.raises(CommandError, match="all of it is session 0"):
        said("import_design", experiment.slug, path)


@pytest.mark.parametrize(
    ("command", "arguments", "options", "says"),
    [
        ("generate_design", ["nobody"], {}, "There is no experiment 'nobody'"),
        ("generate_design", ["{slug}"], {"panels": 0}, "--panels takes a whole number"),
        ("generate_design", ["{slug}"], {"size": 100}, "8"),
        ("generate_design", ["{slug}"], {"size": 2, "factors": "colour"}, "colour"),
        ("generate_design", ["{slug}"], {"size": 2, "conditions": "C9"}, "no rated condition C9"),
        ("verify_design", ["{slug}"], {}, "has no design"),
        ("export_design", ["{slug}"], {"out": "{tmp}"}, "has no design"),
        ("export_design", ["{slug}"], {"out": "{tmp}/file"}, "is no folder"),
        ("import_design", ["{slug}", "{tmp}/nothing.csv"], {}, "is no file"),
        ("import_design", ["{slug}", "{tmp}/file"], {}, "it is empty"),
    ],
)
def test_what_cannot_be_done_is_refused_with_a_sentence(
    experiment: Experiment, tmp_path: Path, command: str, arguments: list[str], options: dict[str, Any], says: str
) -> None:
    (tmp_path / "file").touch()

    def filled(value: Any) -> Any:
        return value.format(slug=experiment.slug, tmp=tmp_path) if isinstance(value, str) else value

    given = {name: Path(filled(value)) if name == "out" else filled(value) for name, value in options.items()}
    with pytest.raises(CommandError, match=says):
        said(command, *map(filled, arguments), **given)
    assert not Seat.objects.exists()


def test_orders_are_planned_without_an_experiment() -> None:
    asked_for = {"items": 32, "conditions": "C0,C1,C2,C3,C4", "listeners": 8, "sessions": 4, "seed": "5"}
    plan = json.loads(said("plan_orders", as_json=True, **asked_for))
    assert set(plan) == {"listeners", "findings"}
    assert len(plan["listeners"]) == 8
    for order in plan["listeners"]:
        assert {tuple(showing) for showing in order} == {("item", "condition", "session")}
        heard = Counter((showing["item"], showing["condition"]) for showing in order)
        assert heard == {(item, f"C{number}"): 1 for item in range(32) for number in range(5)}
        assert [showing["session"] for showing in order] == sorted([1, 2, 3, 4] * 40)
    assert plan["findings"]["item_successors"]["verdict"] == "ok"
    assert plan["findings"]["item_successors"]["numbers"]["share"] <= 0.4
    assert plan == json.loads(said("plan_orders", as_json=True, **asked_for))
    assert "ok    Which condition follows which on the same item" in said("plan_orders", **asked_for)
    with pytest.raises(CommandError, match="without items"):
        said("plan_orders", **asked_for | {"items": 0})
