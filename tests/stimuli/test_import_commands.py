"""The commands of stimuli: from a folder to a checked and levelled collection without a web server."""

import json
import re
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from pytest_django.fixtures import Settings

from core.models import User
from stimuli.models import Collection, Import, Item, Recording, Stimulus
from tests.factories import make_user
from tests.stimuli.folders import conditions_folder, metadata, noise, write

pytestmark = pytest.mark.django_db


def command(name: str, *arguments: Any) -> tuple[str, str]:
    out, err = StringIO(), StringIO()
    call_command(name, *(str(argument) for argument in arguments), stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


@pytest.fixture(autouse=True)
def admin() -> User:
    make_user(name="early")
    return make_user(User.Role.ADMIN, name="boss")


def test_a_folder_is_imported_checked_and_levelled(tmp_path: Path, admin: User) -> None:
    folder = conditions_folder(tmp_path / "sounds", seconds=0.6)
    out, _ = command("import_stimuli", folder, "--collection", "My Sounds", "--metadata", metadata(tmp_path))
    assert "Imported 7 stimuli (4 items, 3 conditions, layout conditions" in out
    collection = Collection.objects.get(slug="my-sounds")
    assert (collection.owner, collection.version) == (admin, 1)
    assert Item.objects.get(name="S01_P01").factors["session"] == "S01"
    assert "7 stimuli: 0 errors" in command("check_stimuli", "my-sounds")[0]
    out, _ = command("normalise_stimuli", "my-sounds", "--preset", "udase", "--out", "Levelled")
    assert re.fullmatch(
        r"Copied 'my-sounds' into 'levelled'\. "
        r"7 copies at -30 LUFS, 0\.0\d LU off at most; the highest true peak is -\d+\.\d dBTP\.\n",
        out,
    )
    checked = json.loads(command("check_stimuli", "levelled", "--lufs", -30, "--tolerance", 0.1, "--json")[0])
    assert not [one for one in checked["findings"] if one["code"].startswith("level")]


def test_a_refused_folder_leaves_nothing_and_every_reason_is_told(tmp_path: Path) -> None:
    folder = conditions_folder(tmp_path)
    (folder / "data/C0/S00_P01.wav").write_bytes(b"RIFF nothing")
    (folder / "data/C1/S01_P01.wav").write_bytes(b"")
    out, err = StringIO(), StringIO()
    with pytest.raises(SystemExit) as end:
        call_command("import_stimuli", str(folder), "--collection", "bad", stdout=out, stderr=err)
    assert end.value.code == 1
    assert "Refused: 2 problems; nothing was written." in out.getvalue()
    assert "data/C0/S00_P01.wav" in err.getvalue()
    assert "data/C1/S01_P01.wav" in err.getvalue()
    assert not Collection.objects.exists()
    assert not Recording.objects.exists()
    assert not Import.objects.exists()


def test_a_dry_run_says_what_would_be_and_writes_nothing(tmp_path: Path) -> None:
    folder = conditions_folder(tmp_path)
    told = json.loads(command("import_stimuli", folder, "--collection", "dry", "--dry-run", "--json")[0])
    assert (told["imported"], told["layout"], told["counts"]["stimuli"]) == (False, "conditions", 7)
    assert not Collection.objects.exists()


def test_importing_again_needs_replace(tmp_path: Path) -> None:
    folder = conditions_folder(tmp_path)
    command("import_stimuli", folder, "--collection", "twice", "--owner", "early")
    with pytest.raises(CommandError, match="already"):
        command("import_stimuli", folder, "--collection", "twice")
    command("import_stimuli", folder, "--collection", "twice", "--replace")
    assert Collection.objects.get().version == 2
    assert Stimulus.objects.count() == 7


def test_a_long_recording_is_prepared_at_once_when_asked_to_wait(tmp_path: Path, settings: Settings) -> None:
    settings.SHORT_RECORDING_S = 1
    write(tmp_path / "A/A_full-length.wav", noise(3.0, rate=8000), rate=8000)
    write(tmp_path / "A/A-1.wav", noise(0.5, rate=8000), rate=8000)
    out, _ = command("import_stimuli", tmp_path, "--collection", "day", "--wait")
    assert "Prepared 1 long recording; everything in 'day' can be heard and seen." in out
    day = Recording.objects.get(stimuli__condition__name="full-length")
    assert day.state == "ready"
    assert day.measures["integrated_lufs"] is not None


def test_without_waiting_it_is_said_what_is_left_to_do_and_how(tmp_path: Path, settings: Settings) -> None:
    settings.SHORT_RECORDING_S = 1
    for name in "AB":
        write(tmp_path / f"{name}/{name}_full-length.wav", noise(3.0, rate=8000, seed=ord(name)), rate=8000)
    out, _ = command("import_stimuli", tmp_path, "--collection", "days")
    assert "The worker still has to prepare 2 long recordings" in out
    assert "manage.py run_worker" in out
    assert "Prepared 2 long recordings." in command("ingest_recordings")[0]
    assert {recording.state for recording in Recording.objects.all()} == {"ready"}
    assert "No long recording waits" in command("ingest_recordings")[0]
    out, _ = command("import_stimuli", tmp_path, "--collection", "days", "--replace")
    assert "prepare" not in out, "what is ready already waits for nothing"


def test_a_recording_that_cannot_be_prepared_is_named_and_the_others_are(tmp_path: Path, settings: Settings) -> None:
    settings.SHORT_RECORDING_S = 1
    broken = noise(6.0, rate=8000)
    broken[20_000] = float("nan")
    write(tmp_path / "A/A_full-length.wav", broken, rate=8000, subtype="FLOAT")
    write(tmp_path / "B/B_full-length.wav", noise(3.0, rate=8000), rate=8000)
    out, err = StringIO(), StringIO()
    with pytest.raises(CommandError, match="of 2 long recordings 1 cannot be used"):
        call_command("import_stimuli", str(tmp_path), "--collection", "days", "--wait", stdout=out, stderr=err)
    assert "Imported 2 stimuli" in out.getvalue()
    assert "A x full-length: " in err.getvalue()
    states = dict(Recording.objects.values_list("stimuli__item__name", "state"))
    assert states == {"A": "refused", "B": "ready"}
    with pytest.raises(CommandError, match="Of 1 long recording 1 cannot be used"):
        command("ingest_recordings", "--refused")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["import_stimuli", "no/such/folder", "--collection", "x"], "is no folder"),
        (["import_stimuli", ".", "--collection", "!!!"], "is no name"),
        (["import_stimuli", ".", "--collection", "x", "--owner", "nobody"], "no account 'nobody'"),
        (["import_stimuli", ".", "--collection", "x", "--metadata", "none.csv"], "is no file"),
        (["check_stimuli", "nothing"], "no collection 'nothing'"),
        (["normalise_stimuli", "nothing", "--lufs", "-30", "--out", "x"], "no collection 'nothing'"),
    ],
)
def test_what_is_not_there_is_said(arguments: list[str], problem: str) -> None:
    with pytest.raises(CommandError, match=problem):
        command(*arguments)
