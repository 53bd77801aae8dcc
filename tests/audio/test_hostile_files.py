"""Hundreds of hostile and broken files: each gets a verdict, the right one, and nothing else happens."""

import os
import socket
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import av
import pytest

from audio.errors import AudioError, SoundTooCostly, SoundUnsupported
from audio.formats import HANDLING, Format
from audio.sandbox.batching import Result, examine_files
from audio.sandbox.client import DEFAULT_LIMITS, Limits, run_sandboxed
from tests.audio import hostile
from tests.audio.canaries import Canary, canary
from tests.audio.disguises import playlists
from tests.audio.fork_servers import fork_server_that_runs
from tests.audio.hostile import ACCEPTED, Specimen
from tests.scale import ALL

SECOND_DECODER = "tests.audio.second_decoder"
FRAME_SAMPLES = 1152  # the longest frame of the codecs that are compared


@pytest.fixture(scope="module")
def _fork_server_with_a_second_decoder() -> Iterator[None]:
    with fork_server_that_runs("audio.validate", SECOND_DECODER):
        yield


@pytest.fixture(scope="module")
def specimens() -> list[Specimen]:
    return hostile.specimens()


@pytest.fixture(scope="module")
def verdicts(specimens: list[Specimen], tmp_path_factory: pytest.TempPathFactory) -> list[Result]:
    """What many at once are judged to be; the slow part, done once."""
    return judged_together(specimens, tmp_path_factory.mktemp("specimens"))


@pytest.fixture
def bird(tmp_path: Path) -> Iterator[Canary]:
    folder = tmp_path / "canary"
    folder.mkdir()
    with canary(folder, hostile.base_sounds()["wav.wav"]) as bird:
        yield bird


def laid_out(specimens: Sequence[Specimen], folder: Path) -> list[Path]:
    """Write them under their names, as a person who trusts names would have it."""
    paths = [folder / f"{number} {specimen.name}" for number, specimen in enumerate(specimens)]
    for path, specimen in zip(paths, specimens, strict=True):
        path.write_bytes(specimen.content)
    return paths


def judged_together(specimens: Sequence[Specimen], folder: Path) -> list[Result]:
    with ExitStack() as stack:
        files = [stack.enter_context(path.open("rb")) for path in laid_out(specimens, folder)]
        return examine_files(files, [specimen.name for specimen in specimens], longest_h=26, short_s=600)


def validated_alone(path: Path, name: str, *, limits: Limits = DEFAULT_LIMITS, short_s: float = 600) -> Result:
    with path.open("rb") as file:
        try:
            return run_sandboxed(
                "audio.validate:probe_file", file, name=name, limits=limits, longest_h=26, short_s=short_s
            ).facts
        except AudioError as error:
            return error


def kind(verdict: Result) -> str:
    return type(verdict).__name__ if isinstance(verdict, Exception) else ACCEPTED


def told(verdict: Result) -> Any:
    """What two verdicts must agree in."""
    return str(verdict) if isinstance(verdict, Exception) else verdict["shape"]


def test_every_specimen_gets_the_right_verdict(specimens: list[Specimen], verdicts: list[Result]) -> None:
    wrong = {
        specimen.name: told(verdict)
        for specimen, verdict in zip(specimens, verdicts, strict=True)
        if kind(verdict) not in specimen.allowed
    }
    assert not wrong
    assert all(str(verdict) for verdict in verdicts if isinstance(verdict, Exception))


def test_the_specimens_are_many_and_of_many_kinds(specimens: list[Specimen], verdicts: list[Result]) -> None:
    names = [specimen.name for specimen in specimens]
    assert len(set(names)) == len(names) > 400
    counts = Counter(kind(verdict) for verdict in verdicts)
    assert set(counts) == hostile.ANY


def test_whole_files_are_accepted_with_all_their_samples(tmp_path: Path) -> None:
    """Otherwise a judge that refuses everything would pass."""
    whole = [Specimen(name, content) for name, content in hostile.base_sounds().items()]
    for specimen, verdict in zip(whole, judged_together(whole, tmp_path), strict=True):
        assert isinstance(verdict, dict), f"{specimen.name}: {verdict}"
        # An MP4 rounds its length to milliseconds.
        assert abs(verdict["shape"]["length_samples"] - hostile.LENGTH_SAMPLES) < (48 if "m4a" in specimen.name else 1)


def test_alone_each_gets_the_same_verdict_and_nothing_is_written(
    specimens: list[Specimen], verdicts: list[Result], tmp_path: Path
) -> None:
    """Every fifth has a child of its own, or fewer, of every kind of file."""
    step = 5 if ALL else 31
    some, together = specimens[::step], verdicts[::step]
    paths = laid_out(some, tmp_path)
    alone = [validated_alone(path, specimen.name) for path, specimen in zip(paths, some, strict=True)]
    assert [told(verdict) for verdict in alone] == [told(verdict) for verdict in together]
    assert sorted(tmp_path.iterdir()) == sorted(paths)
    assert [path.read_bytes() for path in paths] == [specimen.content for specimen in some]


@pytest.mark.long  # all samples of whole files are counted above
@pytest.mark.usefixtures("_fork_server_with_a_second_decoder")
def test_another_decoder_finds_the_same_lengths(
    specimens: list[Specimen], verdicts: list[Result], tmp_path: Path
) -> None:
    accepted = [
        (specimen, verdict["shape"])
        for specimen, verdict in zip(specimens, verdicts, strict=True)
        if isinstance(verdict, dict)
    ]
    demuxers = [HANDLING[Format(shape["format"])].demuxer for _, shape in accepted]
    with ExitStack() as stack:
        paths = laid_out([specimen for specimen, _ in accepted], tmp_path)
        files = [stack.enter_context(path.open("rb")) for path in paths]
        lengths = run_sandboxed(f"{SECOND_DECODER}:lengths", *files, demuxers=demuxers).facts["lengths"]
    compared = [
        (specimen.name, shape["length_samples"], length)
        for (specimen, shape), length in zip(accepted, lengths, strict=True)
        if length is not None
    ]
    assert len(compared) > 100
    assert [row for row in compared if abs(row[1] - row[2]) > FRAME_SAMPLES] == []


def test_no_playlist_reaches_a_file_or_a_server(bird: Canary, tmp_path: Path) -> None:
    specimens = [Specimen(*pair) for pair in playlists(file=str(bird.file), address=bird.address)]
    folder = bird.file.parent / "lists"  # beside the canary, where a relative name would find it
    folder.mkdir()
    assert len(specimens) > 100
    for specimen, verdict in zip(specimens, judged_together(specimens, folder), strict=True):
        assert kind(verdict) in hostile.REFUSED, f"{specimen.name}: {verdict}"
    for path, specimen in list(zip(laid_out(specimens, folder), specimens, strict=True))[:: 4 if ALL else 24]:
        assert kind(validated_alone(path, specimen.name)) in hostile.REFUSED
    assert bird.disturbances() == []


def test_an_mp4_that_refers_to_another_file_does_not_reach_it(bird: Canary, tmp_path: Path) -> None:
    whole = hostile.base_sounds()["m4a.m4a"]
    specimens = [Specimen("alias.m4a", content) for content in hostile.referring_mp4s(whole, str(bird.file))]
    assert len(specimens) == 2
    for verdict in judged_together(specimens, tmp_path):
        assert kind(verdict) in hostile.ANY
    assert bird.disturbances() == []


def test_a_canary_notices_who_opens_and_who_asks(bird: Canary, tmp_path: Path) -> None:
    """A media framework that may choose its demuxer walks into the trap."""
    trap = tmp_path / "trap.wav"
    trap.write_bytes(dict(playlists(file=str(bird.file), address=bird.address))["ffconcat.wav"])
    with av.open(str(trap), options={"safe": "0"}) as container:
        next(container.decode(audio=0))
    assert bird.disturbances() == ["opened"]
    socket.create_connection(("127.0.0.1", bird.port)).close()
    assert bird.disturbances() == ["asked"]


@pytest.mark.parametrize("bomb", hostile.bombs(), ids=lambda bomb: bomb.name)
def test_a_bomb_is_judged_within_its_limits(bomb: hostile.Bomb, tmp_path: Path) -> None:
    path = tmp_path / "bomb"
    path.write_bytes(bomb.make())
    assert kind(validated_alone(path, bomb.name)) in bomb.allowed


@pytest.mark.long  # it is stopped among others in test_batching.py
def test_a_sound_that_takes_too_long_to_decode_is_stopped(tmp_path: Path) -> None:
    path = tmp_path / "slow.flac"
    path.write_bytes(hostile.silence(seconds=14_400, channels=8))
    error = validated_alone(path, "slow.flac", limits=Limits(cpu_s=1), short_s=20_000)
    assert isinstance(error, SoundTooCostly)
    assert {**error.data, "parts": ...} == {"name": "slow.flac", "resource": "time", "parts": ...}


def test_a_plain_wav_beyond_four_gibibytes_is_told_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "day.wav"
    path.write_bytes(hostile.base_sounds()["wav.wav"])
    os.truncate(path, 2**32 + 100)
    error = validated_alone(path, "day.wav")
    assert isinstance(error, SoundUnsupported)
    assert "RF64, W64 or FLAC" in str(error)


@pytest.mark.long
@pytest.mark.usefixtures("_fork_server_with_a_second_decoder")
def test_a_kernel_that_nobody_has_called_before_is_compiled_on_the_spot() -> None:
    """It cannot be read from disk there, and a rare kind of file must not fail because of it."""
    assert run_sandboxed(f"{SECOND_DECODER}:call_a_new_kernel").facts == {"total": 6.0}
