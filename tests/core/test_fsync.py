"""Flushes to the disk: files and folders, closed again whatever the disk answers."""

import os
from pathlib import Path

import pytest

from core.fsync import flush_to_disk


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_what_is_named_is_flushed_itself(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file" if kind == "file" else tmp_path
    (tmp_path / "file").write_bytes(b"whole")
    flushed: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda descriptor: flushed.append(os.fstat(descriptor).st_ino))
    flush_to_disk(path)
    assert flushed == [path.stat().st_ino]


def test_a_disk_that_refuses_is_told_and_nothing_stays_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(descriptor: int) -> None:
        raise OSError("Input/output error")

    monkeypatch.setattr(os, "fsync", refuse)
    before = open_files()
    with pytest.raises(OSError, match="Input/output"):
        flush_to_disk(tmp_path)
    assert open_files() == before
