"""Work in the sandbox: what comes back, what cannot be done there, and what happens when it goes wrong."""

import hashlib
import io
import logging
import os
import signal
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from audio.errors import DecoderDied, PositionOutside, SoundBroken, SoundTooCostly
from audio.sandbox.client import Limits, run_sandboxed
from tests.audio.fork_servers import fork_server_that_runs

WORK = "tests.audio.misbehaving"


@pytest.fixture(scope="module", autouse=True)
def _fork_server_with_misbehaving_work() -> Iterator[None]:
    with fork_server_that_runs(WORK):
        yield


@pytest.fixture
def file(tmp_path: Path) -> Iterator[io.BufferedReader]:
    path = tmp_path / "sound.wav"
    path.write_bytes(b"0123456789")
    with path.open("rb") as opened:
        yield opened


# --- What comes back --------------------------------------------------------------------------------------------------


def test_files_blobs_and_arguments_arrive_and_the_answer_comes_back() -> None:
    contents = [bytes([number]) * 70_000 for number in range(200)]
    index = b"\0\xff" * 10**6
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for number, content in enumerate(contents):
            path = Path(folder, str(number))
            path.write_bytes(content)
            files.append(path.open("rb"))
        outcome = run_sandboxed(f"{WORK}:echo", *files, name="été.wav", blobs={"index": index}, depth=[1, None])
        for file in files:
            file.close()
    assert outcome.facts["name"] == "été.wav"
    assert outcome.facts["given"] == {"depth": [1, None]}
    assert outcome.facts["digests"] == [hashlib.sha256(content).hexdigest() for content in contents]
    assert outcome.blobs == {"index": index}
    assert outcome.facts["pid"] != os.getpid()


def test_a_file_is_read_at_any_place_and_the_parents_position_stays(file: io.BufferedReader) -> None:
    file.seek(4)
    facts = run_sandboxed(f"{WORK}:corners", file).facts
    assert facts == {"size": 10, "last": "789", "fourth": "3", "position": 4}
    assert file.tell() == 4


def test_something_in_memory_is_a_file_too() -> None:
    content = io.BytesIO(b"0123456789")
    content.seek(7)
    assert run_sandboxed(f"{WORK}:corners", content).facts["last"] == "789"
    assert content.tell() == 7


def test_an_error_in_the_child_is_the_same_error_here() -> None:
    with pytest.raises(SoundBroken) as broken:
        run_sandboxed(f"{WORK}:refuse", name="a.wav")
    assert broken.value.data == {"name": "a.wav", "problem": "a test says so"}
    with pytest.raises(PositionOutside) as outside:
        run_sandboxed(f"{WORK}:refuse_position")
    assert outside.value.data == {"start": 5, "stop": 7, "length": 3}


# --- What cannot be done ----------------------------------------------------------------------------------------------


def test_only_allowed_work_is_done() -> None:
    for work in (
        "os:system",
        "stimuli.models:Recording",
        "audios.x:y",
        "audio.validate",
        f"{WORK}s:echo",
    ):
        with pytest.raises(ValueError, match="not work for the sandbox"):
            run_sandboxed(work)


def test_a_child_can_open_start_and_reach_nothing(tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    canary.write_bytes(b"secret")
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        port = server.getsockname()[1]
        facts = run_sandboxed(f"{WORK}:try_everything", path=str(canary), port=port, server=os.getpid()).facts
        with pytest.raises(TimeoutError):
            server.accept()
    assert facts == {"possible": []}
    assert sorted(tmp_path.iterdir()) == [canary]
    assert canary.read_bytes() == b"secret"


def test_a_decoder_may_have_threads() -> None:
    assert run_sandboxed(f"{WORK}:start_thread").facts == {"said": ["hello"]}


def test_a_child_cannot_write_to_a_file_that_is_open_for_writing(tmp_path: Path) -> None:
    path = tmp_path / "original.wav"
    path.write_bytes(b"original")
    with path.open("r+b") as file:
        assert run_sandboxed(f"{WORK}:scribble", file).facts == {"written": False}
    assert path.read_bytes() == b"original"


def test_a_child_does_not_know_the_servers_secrets() -> None:
    """The test run's own settings stand for them: tests/settings.py puts EARMARK_DATA_DIR into the environment."""
    names = run_sandboxed(f"{WORK}:environment").facts["names"]
    assert [name for name in names if name.startswith("EARMARK_")] == []


@pytest.mark.parametrize(
    ("function", "arguments", "limits", "resource"),
    [
        ("burn", {}, Limits(cpu_s=1), "time"),
        ("sleep", {}, Limits(wall_s=0.3), "time"),
        ("hoard", {"mebibytes": 300}, Limits(memory_bytes=100 * 2**20), "memory"),
        ("answer_at_length", {"mebibytes": 2}, Limits(result_bytes=2**20), "room for the result"),
        ("answer_in_many_words", {"words": 2000}, Limits(result_bytes=10_000), "room for the result"),
    ],
)
def test_a_limit_is_an_error(function: str, arguments: dict[str, Any], limits: Limits, resource: str) -> None:
    with pytest.raises(SoundTooCostly) as costly:
        run_sandboxed(f"{WORK}:{function}", name="bomb.flac", limits=limits, **arguments)
    assert costly.value.data == {"name": "bomb.flac", "resource": resource}


def test_within_its_limits_the_same_work_is_done() -> None:
    limits = Limits(memory_bytes=400 * 2**20, result_bytes=3 * 2**20, cpu_s=20)
    assert run_sandboxed(f"{WORK}:hoard", limits=limits, mebibytes=300).facts == {"size": 300 * 2**20}
    assert len(run_sandboxed(f"{WORK}:answer_at_length", limits=limits, mebibytes=2).blobs["much"]) == 2 * 2**20


# --- What happens when it goes wrong ----------------------------------------------------------------------------------


@pytest.mark.parametrize("function", ["leave", "babble"])
def test_silence_and_babble_are_an_error(function: str) -> None:
    with pytest.raises((DecoderDied, SoundTooCostly)):
        run_sandboxed(f"{WORK}:{function}", name="a.mp3")


@pytest.mark.parametrize("number", [signal.SIGABRT, signal.SIGSEGV])
def test_a_crash_is_an_error_and_costs_nobody_else(number: int) -> None:
    with pytest.raises(DecoderDied, match=r"broke down over 'a\.mp3'"):
        run_sandboxed(f"{WORK}:die", name="a.mp3", signal_number=number)
    assert run_sandboxed(f"{WORK}:echo").facts["digests"] == []


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "{}",
        '{"blobs": []}',
        '{"blobs": [], "facts": 3}',
        '{"blobs": [["a", -1]], "facts": {}}',
        '{"blobs": [["a", "b"]], "facts": {}}',
        '{"blobs": 7, "facts": {}}',
        '{"blobs": [], "facts": {"level": NaN}}',
        '{"blobs": [], "facts": {"level": 1e999}}',
        '{"blobs": [], "error": {"kind": "SystemExit", "data": {}}}',
        '{"blobs": [], "error": {"kind": "AudioError", "data": {}}}',
        '{"blobs": [], "error": {"kind": "SoundBroken", "data": 3}}',
        '{"blobs": [], "error": {}}',
        '{"blobs": [], "error": {"kind": "SoundTooLong", "data": {"name": "x", "limit_h": "y"}}}',
        '{"blobs": [], "error": {"kind": "SoundBroken", "data": {"self": "x", "name": "x", "problem": "y"}}}',
        '{"blobs": [], "facts": ' + "[" * 5000 + "]" * 5000 + "}",
        '{"blobs": [["a", 5]], "facts": {}}',
    ],
)
def test_an_answer_that_makes_no_sense_is_not_believed(text: str) -> None:
    with pytest.raises(DecoderDied):
        run_sandboxed(f"{WORK}:claim", text=text)


def test_a_claim_of_a_huge_blob_is_refused_before_room_is_made_for_it() -> None:
    with pytest.raises(SoundTooCostly):
        run_sandboxed(f"{WORK}:claim", text='{"blobs": [["a", 1000000000000]], "facts": {}}')


@pytest.mark.parametrize("function", ["fail", "refuse_unsayably", "answer_infinity"])
def test_a_defect_in_the_work_is_an_error(function: str) -> None:
    with pytest.raises(DecoderDied) as died:
        run_sandboxed(f"{WORK}:{function}", name="a.wav")
    assert str(died.value)


def test_a_defect_in_the_work_is_logged_with_its_trace(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR), pytest.raises(DecoderDied, match="LookupError"):
        run_sandboxed(f"{WORK}:fail", name="a.wav")
    assert "a defect in the work" in caplog.text
