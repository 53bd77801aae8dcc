"""Archives among the files of an import: unpacked to names that are made here, and looked at like all the others."""

from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath

from stimuli.intake.archives import open_archive, stream
from stimuli.intake.sources import Kind, Source, is_litter, look_at


def unpacked(sources: Iterable[Source], work: Path, *, most_bytes: int) -> list[Source]:
    """Put what archives hold in their place, all of them together no more than so much.

    Twice into the same folder gives the same names and the same files.
    """
    found: list[Source] = []
    archives = [source for source in sources if source.kind is Kind.ARCHIVE]
    for source in sources:
        if source.kind is Kind.ARCHIVE:
            place = work / f"archive-{archives.index(source)}"
            held = _unpacked(source, place, alone=len(archives) == 1, most_bytes=most_bytes)
            most_bytes -= sum(part.byte_count for part in held)
            found += held
        else:
            found.append(source)
    return found


def _unpacked(source: Source, work: Path, *, alone: bool, most_bytes: int) -> Sequence[Source]:
    """What is in an archive; several archives keep their contents apart by their names, as folders would."""
    work.mkdir(parents=True, exist_ok=True)
    found = []
    with source.place.open("rb") as file:
        for number, entry in enumerate(open_archive(file, name=source.path, most_bytes=most_bytes)):
            if is_litter(entry.path):
                continue
            place = work / str(number)
            with place.open("wb") as target:
                for piece in stream(entry):
                    target.write(piece)
            around = PurePosixPath(source.path)
            path = around.parent / entry.path if alone else around.with_suffix("") / entry.path
            found.append(look_at(str(path), place))
    return found
