"""Kept under a name, whole or not at all, and read in parts: the same over a folder and over an S3 store."""

import os
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone
from pytest_django.fixtures import Settings

from stimuli import storage
from tests.stimuli.recordings import fresh_storage
from tests.stimuli.stores import s3_server, use_bucket

SOUND = bytes(range(256)) * 4096  # 1 MiB: several blocks


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    with s3_server() as address:
        yield address


@pytest.fixture(params=["folder", "bucket"])
def kind(
    request: pytest.FixtureRequest, settings: Settings, tmp_path: Path, endpoint: str, monkeypatch: pytest.MonkeyPatch
) -> str:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    if request.param == "bucket":
        use_bucket(settings, tmp_path, endpoint)
    else:
        fresh_storage(settings, tmp_path)
    return str(request.param)


@pytest.mark.usefixtures("kind")
def test_what_is_kept_can_be_read_from_anywhere() -> None:
    storage.keep("derived/one/tiles.pack", SOUND)
    assert storage.byte_count("derived/one/tiles.pack") == len(SOUND)
    assert storage.read_range("derived/one/tiles.pack", 300, 500) == SOUND[300:800]
    assert storage.read_range("derived/one/tiles.pack", len(SOUND) - 3, 500) == SOUND[-3:]
    assert storage.read_range("derived/one/tiles.pack", len(SOUND), 500) == b""
    assert storage.read_range("derived/one/tiles.pack", 5, 0) == b""
    pieces = list(storage.blocks("derived/one/tiles.pack", 10, len(SOUND) - 10))
    assert b"".join(pieces) == SOUND[10:-10]
    assert max(map(len, pieces)) <= storage.BLOCK_BYTES


@pytest.mark.usefixtures("kind")
def test_a_decoder_gets_a_file_with_a_descriptor_that_it_can_seek_in(tmp_path: Path) -> None:
    source = tmp_path / "upload"
    source.write_bytes(SOUND)
    storage.keep("recordings/one.wav", source)
    for _ in range(2):
        with storage.local_file("recordings/one.wav") as file:
            file.seek(1000)
            assert file.read(100) == SOUND[1000:1100]
            assert os.fstat(file.fileno()).st_size == len(SOUND)
    assert source.read_bytes() == SOUND, "what was given stays where it was"


@pytest.mark.usefixtures("kind")
def test_keeping_again_replaces_and_removing_twice_is_harmless() -> None:
    storage.keep("a/b", b"old")
    storage.keep("a/b", b"newer")
    assert storage.read_range("a/b", 0, 100) == b"newer"
    assert storage.exists("a/b")
    for _ in range(2):
        storage.remove("a/b")
        assert not storage.exists("a/b")


@pytest.mark.usefixtures("kind")
def test_what_is_not_there_is_not_found() -> None:
    with pytest.raises(FileNotFoundError):
        storage.read_range("no/such", 0, 1)
    with pytest.raises(FileNotFoundError):
        storage.byte_count("no/such")
    with pytest.raises(FileNotFoundError), storage.local_file("no/such"):
        pass


def test_a_store_keeps_nothing_beside_itself_except_what_was_fetched_to_be_decoded(
    settings: Settings, tmp_path: Path, endpoint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    client = use_bucket(settings, tmp_path, endpoint)
    storage.keep("recordings/one.wav", SOUND)
    assert [entry["Key"] for entry in client.list_objects_v2(Bucket="earmark")["Contents"]] == ["recordings/one.wav"]
    assert list(tmp_path.iterdir()) == []
    with storage.local_file("recordings/one.wav"):
        pass
    client.delete_object(Bucket="earmark", Key="recordings/one.wav")
    with storage.local_file("recordings/one.wav") as file:
        assert file.read() == SOUND, "a recording of this name never changes, so the copy serves again"


def test_a_folder_shows_no_half_file_and_leaves_none_behind(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh_storage(settings, tmp_path)
    storage.keep("a/b", b"whole")

    def full(descriptor: int) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        storage.keep("a/b", b"other")
    assert storage.read_range("a/b", 0, 100) == b"whole"
    assert [path.name for path in (tmp_path / "files" / "a").iterdir()] == ["b"]
    assert list((tmp_path / "files" / storage.SCRATCH).iterdir()) == []


def test_what_a_killed_writer_left_is_cleared_away_and_what_is_being_written_is_not(
    settings: Settings, tmp_path: Path
) -> None:
    fresh_storage(settings, tmp_path)
    home = tmp_path / "files" / storage.SCRATCH
    home.mkdir(parents=True)
    now = timezone.now()
    for name, age_s in (("left", 7200), ("fresh", 60)):
        (home / name).write_bytes(b"half")
        os.utime(home / name, (now.timestamp() - age_s,) * 2)
    storage.clear_scratch(before=now - timedelta(hours=1))
    assert [path.name for path in home.iterdir()] == ["fresh"]


def test_a_linked_file_is_shared_and_a_copied_one_is_not(settings: Settings, tmp_path: Path) -> None:
    fresh_storage(settings, tmp_path)
    source = tmp_path / "upload"
    source.write_bytes(SOUND)
    storage.keep("linked", source, linked=True)
    storage.keep("copied", source)
    assert source.stat().st_nlink == 2
    assert storage.read_range("copied", 0, len(SOUND)) == storage.read_range("linked", 0, len(SOUND)) == SOUND
