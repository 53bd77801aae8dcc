"""manage.py measure_loudness: files of every kind in the sandbox, for people and for programs."""

import io
import json
import re
from pathlib import Path

import numpy as np
import pytest
import soundfile
from django.core.management import call_command

from audio.measure import measure_file, measure_sound
from tests.audio.ebu import SILENCE, Heard, noise, tone

RATE_HZ = 44100


class Terminal(io.StringIO):
    """An error stream that is a terminal."""

    def isatty(self) -> bool:
        return True


def run(*arguments: str, stderr: io.StringIO | None = None) -> tuple[str, str, int]:
    out, err, code = io.StringIO(), stderr or io.StringIO(), 0
    try:
        call_command("measure_loudness", *arguments, stdout=out, stderr=err, no_color=True)
    except SystemExit as end:
        code = int(end.code or 0)
    return out.getvalue(), err.getvalue(), code


@pytest.fixture
def tone_file(tmp_path: Path) -> str:
    path = tmp_path / "tone.wav"
    soundfile.write(path, tone(RATE_HZ, [(-23, 4)]), RATE_HZ, subtype="PCM_24")
    return str(path)


def test_json_has_what_was_measured(tone_file: str) -> None:
    out, err, code = run(tone_file, "--json")
    (entry,) = json.loads(out)
    assert (err, code) == ("", 0)
    assert entry["file"] == tone_file
    assert entry["integrated_lufs"] == pytest.approx(-23, abs=0.1)
    assert entry["loudness_range_lu"] == pytest.approx(0, abs=0.01)
    assert entry["true_peak_dbtp"] == pytest.approx(-23, abs=0.1)
    assert entry["sample_peak_dbfs"] == pytest.approx(-23, abs=0.01)
    assert entry["loudest_momentary_lufs"] == pytest.approx(-23, abs=0.1)
    assert entry["loudest_short_term_lufs"] == pytest.approx(-23, abs=0.1)
    assert (entry["duration_s"], entry["sample_rate_hz"], entry["channels"]) == (4.0, RATE_HZ, 2)
    assert (entry["format"], entry["clipped_samples"]) == ("wav", 0)


def test_people_get_a_table(tone_file: str, tmp_path: Path) -> None:
    silent = tmp_path / "silent.flac"
    soundfile.write(silent, tone(RATE_HZ, [(SILENCE, 1)]), RATE_HZ)
    out, _, code = run(tone_file, str(silent))
    heading, first, second = out.splitlines()
    assert code == 0
    assert heading.split() == ["LUFS", "LRA", "dBTP", "dBFS", "duration", "Hz", "channels", "file"]
    assert first.split() == ["-23.0", "0.0", "-23.0", "-23.0", "0:00:04.000", "44100", "2", tone_file]
    assert second.split() == ["-", "-", "-", "-", "0:00:01.000", "44100", "2", str(silent)]


@pytest.mark.parametrize("suffix", ["flac", "mp3", "ogg", "aiff", "w64"])
def test_other_formats_are_measured_too(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"tone.{suffix}"
    soundfile.write(path, tone(RATE_HZ, [(-23, 4)]), RATE_HZ)
    (entry,) = json.loads(run(str(path), "--json")[0])
    assert entry["integrated_lufs"] == pytest.approx(-23, abs=0.1)
    assert entry["duration_s"] == 4.0


def test_a_bad_file_gets_a_sentence_and_the_others_are_measured(tone_file: str, tmp_path: Path) -> None:
    bad, missing = tmp_path / "bad.wav", tmp_path / "missing.wav"
    bad.write_bytes(b"this is no sound at all")
    out, err, code = run(str(bad), tone_file, str(missing), str(tmp_path), "--json")
    assert code == 1
    assert [entry["file"] for entry in json.loads(out)] == [tone_file]
    about_bad, about_missing, about_folder = err.splitlines()
    assert about_bad.startswith(f"'{bad}' cannot be read as sound")
    assert about_missing.startswith(f"'{missing}' cannot be opened: No such file or directory.")
    assert about_folder.startswith(f"'{tmp_path}' cannot be opened: Is a directory.")


def test_progress_is_shown_on_a_terminal_and_cleared(tone_file: str) -> None:
    _, err, _ = run(tone_file, stderr=Terminal())
    assert f"{tone_file} 100%" in err
    assert re.split(r"\r\x1b\[K", err)[-1] == ""


@pytest.mark.parametrize("suffix", ["wav", "mp3"])
def test_stretches_of_a_file_give_what_the_whole_gives(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"long.{suffix}"
    soundfile.write(path, noise(RATE_HZ, 1, 9.3, np.random.default_rng(1)) * np.float32(0.3), RATE_HZ)
    samples, _ = soundfile.read(path, dtype="float32", always_2d=True)
    shares: list[float] = []
    with path.open("rb") as file:
        found = measure_file(file, path.name, shares.append, segment_samples=100_000)
    whole = measure_sound(Heard(samples, RATE_HZ)).to_json()
    joined = {name: value for name, value in found.measures.to_json().items() if name in whole}
    assert joined == pytest.approx(whole, abs=0.02)
    assert len(shares) == -(-found.shape.length_samples // 100_000)
    assert shares == sorted(shares)
    assert shares[-1] == 1
