"""A bounded folder of things that can be made again: made once, given to all, and never in the way of each other."""

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

from stimuli.shelf import FLUSHED_BYTES, Shelf


def test_a_shelf_makes_a_thing_once_however_many_ask_at_once(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path, most_bytes=10**6)
    begun, go_on, made = threading.Event(), threading.Event(), []

    def make() -> bytes:
        made.append(1)
        begun.set()
        go_on.wait(20)
        return b"tile"

    answers: list[bytes] = []
    askers = [threading.Thread(target=lambda: answers.append(shelf.take_bytes("x", make))) for _ in range(4)]
    for asker in askers:
        asker.start()
    assert begun.wait(20)
    go_on.set()
    for asker in askers:
        asker.join()
    assert (answers, len(made)) == ([b"tile"] * 4, 1)


def test_a_shelf_stays_within_its_bound_and_keeps_what_is_used(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path, most_bytes=100_000)
    shelf.take_bytes("favourite", lambda: bytes(1000))
    for number in range(300):
        shelf.take_bytes(str(number), lambda: bytes(1000))
        assert shelf.take_bytes("favourite", lambda: b"made again") == bytes(1000)
        age(tmp_path)
        assert shelf.held_bytes() <= 100_000
    assert shelf.held_bytes() > 50_000, "clearing everything would be within the bound too"
    assert shelf.take_bytes("0", lambda: b"made again") == b"made again"


def age(folder: Path) -> None:
    """Let a second pass for every file, so that the order of use does not hang on the clock's resolution."""
    for path in folder.glob("??/*"):
        facts = path.stat()
        os.utime(path, (facts.st_mtime - 1, facts.st_mtime - 1))


def test_two_shelves_over_one_folder_share_what_they_hold(tmp_path: Path) -> None:
    one, other = Shelf(tmp_path, most_bytes=50_000), Shelf(tmp_path, most_bytes=50_000)
    for number in range(200):
        shelf = (one, other)[number % 2]
        shelf.take_bytes(str(number), lambda: bytes(1000))
        assert one.take_bytes(str(number), lambda: b"made again") == bytes(1000)
    assert other.held_bytes() <= 55_000


def test_a_thing_that_cannot_be_made_leaves_nothing_and_is_tried_again(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path, most_bytes=10_000)

    def fails(target: BinaryIO) -> None:
        target.write(b"half")
        raise ConnectionError("gone")

    with pytest.raises(ConnectionError):
        shelf.take("x", fails)
    assert shelf.held_bytes() == 0
    assert shelf.take_bytes("x", lambda: b"whole") == b"whole"


def full_disk() -> OSError:
    return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def within_seconds(work: threading.Thread) -> None:
    """Let something end that would wait for ever if it were wrong."""
    work.daemon = True
    work.start()
    work.join(60)
    assert not work.is_alive(), "somebody waits for himself"


def test_making_one_thing_may_mean_making_another_first(tmp_path: Path) -> None:
    """As a picture needs an index. So many pairs that locks that are shared by chance would show."""
    shelf = Shelf(tmp_path, most_bytes=10**6)
    made: list[bytes] = []

    def tile(number: int) -> bytes:
        return shelf.take_bytes(f"index {number}", f"index {number}".encode)

    def ask() -> None:
        made.extend(shelf.take_bytes(f"picture {number}", partial(tile, number)) for number in range(500))

    within_seconds(threading.Thread(target=ask))
    assert made == [f"index {number}".encode() for number in range(500)]
    assert list((tmp_path / "locks").iterdir()) == [], "locks are taken away again"


def test_nobody_makes_a_thing_while_another_does_not_even_after_a_failure(tmp_path: Path) -> None:
    """Those who waited go on one at a time, through whichever process they asked."""
    shelves = [Shelf(tmp_path, most_bytes=10**6) for _ in range(3)]
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
                return shelves[number % 3].take_bytes("x", make)

    with ThreadPoolExecutor(12) as pool:
        assert set(pool.map(ask, range(12))) == {b"whole"}
    assert (len(most_at_work), max(most_at_work)) == (200, 1)


def test_a_thing_larger_than_the_shelf_is_given_and_not_kept(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path, most_bytes=1000)
    for _ in range(2):
        assert shelf.take_bytes("x", lambda: bytes(5000)) == bytes(5000)
    assert shelf.held_bytes() == 0


def test_what_is_cleared_away_while_it_is_made_is_given_all_the_same(tmp_path: Path) -> None:
    """Another process may need room for something larger."""
    shelf = Shelf(tmp_path, most_bytes=10**6)

    def make(target: BinaryIO) -> None:
        target.write(b"whole")
        for path in tmp_path.glob("??/*"):
            path.unlink()

    with shelf.take("x", make) as file:
        assert file.read() == b"whole"
    assert shelf.take_bytes("x", lambda: b"made again") == b"made again"


def test_a_thing_that_a_power_cut_has_emptied_is_made_again(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path, most_bytes=10**6)
    shelf.take_bytes("x", lambda: b"tile")
    (kept,) = tmp_path.glob("??/*")
    kept.write_bytes(b"")
    assert shelf.take_bytes("x", lambda: b"tile") == b"tile"
    assert kept.read_bytes() == b"tile"


def test_a_full_disk_is_cleared_and_tried_again(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path, most_bytes=10**6)
    for number in range(10):
        shelf.take_bytes(str(number), lambda: bytes(1000))
    tried: list[int] = []

    def make(target: BinaryIO) -> None:
        tried.append(shelf.held_bytes())
        if len(tried) == 1:
            raise full_disk()
        target.write(b"whole")

    with shelf.take("x", make) as file:
        assert file.read() == b"whole"
    assert tried[0] == 10_000
    assert tried[1] <= 5000


def test_a_disk_that_stays_full_withholds_no_picture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf = Shelf(tmp_path, most_bytes=10**8)
    made: list[int] = []

    def make() -> bytes:
        made.append(1)
        return bytes(FLUSHED_BYTES)

    def refuse(descriptor: int) -> None:
        raise full_disk()

    monkeypatch.setattr(os, "fsync", refuse)
    assert shelf.take_bytes("x", make) == bytes(FLUSHED_BYTES)
    assert (made, shelf.held_bytes()) == ([1], 0)


def test_many_processes_together_stay_near_the_bound(tmp_path: Path) -> None:
    shelves = [Shelf(tmp_path, most_bytes=100_000) for _ in range(8)]
    for number in range(400):
        shelves[number % 8].take_bytes(str(number), lambda: bytes(1000))
        if number % 20 == 0:
            assert shelves[0].held_bytes() <= 125_000
