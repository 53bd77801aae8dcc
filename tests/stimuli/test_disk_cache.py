"""DiskCache: every file is made once, the bound is kept, and concurrent callers do not block each other."""

import errno
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import BinaryIO

import pytest

from stimuli.disk_cache import FLUSHED_BYTES, DiskCache
from tests.scale import ALL


def test_concurrent_callers_make_a_file_once(tmp_path: Path) -> None:
    cache = DiskCache(tmp_path, max_bytes=10**6)
    begun, go_on, made = threading.Event(), threading.Event(), []

    def make() -> bytes:
        made.append(1)
        begun.set()
        go_on.wait(20)
        return b"tile"

    answers: list[bytes] = []
    askers = [threading.Thread(target=lambda: answers.append(cache.read_or_create("x", make))) for _ in range(4)]
    for asker in askers:
        asker.start()
    assert begun.wait(20)
    go_on.set()
    for asker in askers:
        asker.join()
    assert (answers, len(made)) == ([b"tile"] * 4, 1)


def test_a_cache_stays_within_its_bound_and_keeps_recently_used_files(tmp_path: Path) -> None:
    most = 100 if ALL else 30  # files of 1000 bytes
    cache = DiskCache(tmp_path, max_bytes=1000 * most)
    cache.read_or_create("favourite", lambda: bytes(1000))
    for number in range(3 * most // 2):
        cache.read_or_create(str(number), lambda: bytes(1000))
        assert cache.read_or_create("favourite", lambda: b"made again") == bytes(1000)
        age(tmp_path)
        assert cache.used_bytes_on_disk() <= 1000 * most
    assert cache.used_bytes_on_disk() > 500 * most, "clearing everything would be within the bound too"
    assert cache.read_or_create("0", lambda: b"made again") == b"made again"


def age(folder: Path) -> None:
    """Let a second pass for every file, so that the order of use does not hang on the clock's resolution."""
    for path in folder.glob("??/*"):
        facts = path.stat()
        os.utime(path, (facts.st_mtime - 1, facts.st_mtime - 1))


def test_two_caches_over_one_folder_share_their_files(tmp_path: Path) -> None:
    one, other = DiskCache(tmp_path, max_bytes=50_000), DiskCache(tmp_path, max_bytes=50_000)
    for number in range(200 if ALL else 100):
        cache = (one, other)[number % 2]
        cache.read_or_create(str(number), lambda: bytes(1000))
        assert one.read_or_create(str(number), lambda: b"made again") == bytes(1000)
    assert other.used_bytes_on_disk() <= 55_000


def test_a_thing_that_cannot_be_made_leaves_nothing_and_is_tried_again(tmp_path: Path) -> None:
    cache = DiskCache(tmp_path, max_bytes=10_000)

    def fails(target: BinaryIO) -> None:
        target.write(b"half")
        raise ConnectionError("gone")

    with pytest.raises(ConnectionError):
        cache.open_or_create("x", fails)
    assert cache.used_bytes_on_disk() == 0
    assert cache.read_or_create("x", lambda: b"whole") == b"whole"


def full_disk() -> OSError:
    return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def within_seconds(work: threading.Thread) -> None:
    """Let something end that would wait for ever if it were wrong."""
    work.daemon = True
    work.start()
    work.join(60)
    assert not work.is_alive(), "a lock is waited for by its holder"


def test_making_one_thing_may_mean_making_another_first(tmp_path: Path) -> None:
    """As a picture needs an index. So many pairs that locks that are shared by chance would show."""
    cache = DiskCache(tmp_path, max_bytes=10**6)
    made: list[bytes] = []

    def tile(number: int) -> bytes:
        return cache.read_or_create(f"index {number}", f"index {number}".encode)

    def ask() -> None:
        made.extend(cache.read_or_create(f"picture {number}", partial(tile, number)) for number in range(500))

    within_seconds(threading.Thread(target=ask))
    assert made == [f"index {number}".encode() for number in range(500)]
    assert list((tmp_path / "locks").iterdir()) == [], "locks are taken away again"


def test_nobody_makes_a_thing_while_another_does_not_even_after_a_failure(tmp_path: Path) -> None:
    """Those who waited go on one at a time, through whichever process they asked."""
    caches = [DiskCache(tmp_path, max_bytes=10**6) for _ in range(3)]
    at_work: list[int] = []
    most_at_work: list[int] = []

    def make() -> bytes:
        at_work.append(1)
        most_at_work.append(len(at_work))
        time.sleep(0.001)
        at_work.pop()
        if len(most_at_work) < 200:
            raise ConnectionError("gone")
        return b"whole"

    def ask(number: int) -> bytes:
        while True:
            with suppress(ConnectionError):
                return caches[number % 3].read_or_create("x", make)

    with ThreadPoolExecutor(12) as pool:
        assert set(pool.map(ask, range(12))) == {b"whole"}
    assert (len(most_at_work), max(most_at_work)) == (200, 1)


def test_a_file_larger_than_the_cache_is_returned_and_not_kept(tmp_path: Path) -> None:
    cache = DiskCache(tmp_path, max_bytes=1000)
    for _ in range(2):
        assert cache.read_or_create("x", lambda: bytes(5000)) == bytes(5000)
    assert cache.used_bytes_on_disk() == 0


def test_what_is_cleared_away_while_it_is_made_is_given_all_the_same(tmp_path: Path) -> None:
    """Another process may need room for something larger."""
    cache = DiskCache(tmp_path, max_bytes=10**6)

    def make(target: BinaryIO) -> None:
        target.write(b"whole")
        for path in tmp_path.glob("??/*"):
            path.unlink()

    with cache.open_or_create("x", make) as file:
        assert file.read() == b"whole"
    assert cache.read_or_create("x", lambda: b"made again") == b"made again"


def test_a_thing_that_a_power_cut_has_emptied_is_made_again(tmp_path: Path) -> None:
    cache = DiskCache(tmp_path, max_bytes=10**6)
    cache.read_or_create("x", lambda: b"tile")
    (kept,) = tmp_path.glob("??/*")
    kept.write_bytes(b"")
    assert cache.read_or_create("x", lambda: b"tile") == b"tile"
    assert kept.read_bytes() == b"tile"


def test_a_full_disk_is_cleared_and_tried_again(tmp_path: Path) -> None:
    cache = DiskCache(tmp_path, max_bytes=10**6)
    for number in range(10):
        cache.read_or_create(str(number), lambda: bytes(1000))
    tried: list[int] = []

    def make(target: BinaryIO) -> None:
        tried.append(cache.used_bytes_on_disk())
        if len(tried) == 1:
            raise full_disk()
        target.write(b"whole")

    with cache.open_or_create("x", make) as file:
        assert file.read() == b"whole"
    assert tried[0] == 10_000
    assert tried[1] <= 5000


def test_content_is_returned_although_the_disk_stays_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = DiskCache(tmp_path, max_bytes=10**8)
    made: list[int] = []

    def make() -> bytes:
        made.append(1)
        return bytes(FLUSHED_BYTES)

    def refuse(descriptor: int) -> None:
        raise full_disk()

    monkeypatch.setattr(os, "fsync", refuse)
    assert cache.read_or_create("x", make) == bytes(FLUSHED_BYTES)
    assert (made, cache.used_bytes_on_disk()) == ([1], 0)


def test_many_processes_together_stay_near_the_bound(tmp_path: Path) -> None:
    caches = [DiskCache(tmp_path, max_bytes=100_000) for _ in range(8)]
    for number in range(400 if ALL else 200):
        caches[number % 8].read_or_create(str(number), lambda: bytes(1000))
        if number % 20 == 0:
            assert caches[0].used_bytes_on_disk() <= 125_000
