"""Staged files: written to storage before the rows that name them are committed, and removed if the commit fails."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from audio.formats import HANDLING, Format
from stimuli import storage
from stimuli.models import Recording, Stimulus

# Flushing a file means waiting for the disk, so a few wait together.
AT_ONCE = 4


def original_name(sha256: str, format: str) -> str:
    """Where an original lies: named by its content, so that the same sound twice is one file."""
    return f"recordings/{sha256}{HANDLING[Format(format)].suffixes[0]}"


def source_name(sha256: str, path: str) -> str:
    """Where a file lies that came along and is no recording: a table, or a project whose clips were taken out."""
    return f"sources/{sha256}{Path(path).suffix.lower()[:10]}"


class StagedFiles:
    """Files written to storage for one change of the database."""

    def __init__(self) -> None:
        self._fresh: set[str] = set()
        self._origins: dict[str, tuple[Path, bool]] = {}

    def put_files(self, files: Iterable[tuple[str, Path]], *, linked: bool) -> None:
        """Keep files under names that are made of their content.

        What a row names is there already. Anything else is written, even if an import that failed has left it.
        """
        wanted = dict(files)
        self._origins |= {name: (place, linked) for name, place in wanted.items()}
        missing = wanted.keys() - named_in_rows(wanted) - self._fresh
        self._put(missing, lambda name: storage.keep(name, wanted[name], linked=linked))

    def put_bytes(self, contents: Mapping[str, bytes]) -> None:
        """The same for what was made here; asks no rows, so that threads may call it."""
        missing = contents.keys() - self._fresh
        self._put(missing, lambda name: storage.keep(name, contents[name]))

    def _put(self, names: Collection[str], keep: Callable[[str], None]) -> None:
        self._fresh.update(names)
        with ThreadPoolExecutor(AT_ONCE) as pool:
            list(pool.map(keep, names))

    @contextmanager
    def until_committed(self) -> Iterator[None]:
        """Remove the files again if the change fails.

        Another import may count on a file that this one wrote, and have no row yet that says so. So a file is first
        removed and then looked for in the rows: an import that commits before that finds it restored, and one that
        commits after it checks that its files exist.
        """
        try:
            yield
        except BaseException:
            self._undo()
            raise
        for name in [name for name in self._origins if not storage.exists(name)]:
            self._put_back(name)

    def _undo(self) -> None:
        for name in self._fresh:
            storage.remove(name)
        for name in named_in_rows(self._fresh) & self._origins.keys():
            self._put_back(name)

    def _put_back(self, name: str) -> None:
        place, linked = self._origins[name]
        storage.keep(name, place, linked=linked)


def discard_unnamed(names: Iterable[str]) -> None:
    """Take away files that rows named once and name no more."""
    once = set(names)
    for name in once - named_in_rows(once):
        storage.remove(name)


def named_in_rows(names: Iterable[str]) -> set[str]:
    wanted = list(names)
    found: set[str] = set()
    for start in range(0, len(wanted), 500):
        some = wanted[start : start + 500]
        found.update(Recording.objects.filter(file__in=some).values_list("file", flat=True))
        found.update(Stimulus.objects.filter(served__in=some).values_list("served", flat=True))
    return found
