"""Layout of full-length recordings with their summaries: the recording and the condition of each summary."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from core.i18n import LazyMessage
from core.i18n import gettext_noop as _
from stimuli.errors import layout_unfit
from stimuli.imports.plans import Bundle, Cell, Plan
from stimuli.imports.reports import Report, some
from stimuli.imports.sources import Kind, SourceFile, name_of

SUMMARIES = "summaries"
FULL_LENGTH = "full-length"
# The instructions of the TC/SD study spell it X_full_length, X_full.length and A_full-length.
LONG_NAME = re.compile(r"(?:(?P<item>.+?)[ _.-]+)?full[ _.-]?length", re.IGNORECASE)
BUNDLE_NAME = re.compile(r"(?:.+?[ _.-])?summar(?:y|ies)", re.IGNORECASE)
# "A_summary_03" says no more than "A-3".
FILLER = re.compile(r"(?:summary|summaries|clip|part|excerpt|track)(?:[ _.-]+|(?=\d))", re.IGNORECASE)
NUMBER = re.compile(r"0*(\d+)")


@dataclass
class Recorded:
    """A full-length recording, the item that it stands for, and the files that belong to it."""

    source: SourceFile
    item: str
    rest: list[SourceFile] = field(default_factory=list)

    @property
    def names(self) -> set[str]:
        """What the names of its summaries may begin with."""
        return {self.item, _folder(self.source), _prefix(self.source)} - {""}


def is_full_length(path: str) -> bool:
    return LONG_NAME.fullmatch(name_of(path)) is not None


def read_summaries(heard: Sequence[SourceFile], plan: Plan, report: Report) -> None:
    """Make an item of each full-length recording, and conditions of what lies around it."""
    recordings = _recordings([source for source in heard if is_full_length(source.path)])
    if not recordings:
        problem = LazyMessage("no folder holds a full-length recording, such as A/A_full-length.mp3")
        raise layout_unfit(layout=SUMMARIES, problem=problem)
    for source in heard:
        if not is_full_length(source.path):
            _give_to_owner(source, recordings, report)
    for recording in recordings:
        plan.add(Cell(recording.item, FULL_LENGTH, recording.source.path), role=FULL_LENGTH)
        _take_summaries(recording, plan, report)


def summary_name(path: str, names: Iterable[str]) -> str:
    """What tells a summary from others: its file's name without the recording's; a bare number loses its zeros."""
    name = name_of(path)
    if any(name.casefold() == known.casefold() for known in names):
        return ""
    for known in sorted(names, key=len, reverse=True):
        if stripped := re.match(rf"{re.escape(known)}(?:[ _.-]+|(?=\d))", name, re.IGNORECASE):
            name = name[stripped.end() :]
            break
    if filler := FILLER.match(name):
        name = name[filler.end() :]
    number = NUMBER.fullmatch(name)
    return number[1] if number else name


def _recordings(longs: Sequence[SourceFile]) -> list[Recorded]:
    """Name each by its file; by its folder where the file does not say it, or says the same as another."""
    claims = Counter(map(_prefix, longs))

    def item_of(source: SourceFile) -> str:
        prefix, folder = _prefix(source), _folder(source)
        if claims[prefix] > 1 or prefix.casefold() in {"", folder.casefold()}:
            return folder or prefix or "recording"
        return prefix

    return [Recorded(source, item_of(source)) for source in longs]


def _give_to_owner(source: SourceFile, recordings: Sequence[Recorded], report: Report) -> None:
    owner = _owner(source, recordings)
    if owner is not None:
        owner.rest.append(source)
        return
    message = _("'{path}' belongs to no full-length recording. Put it into the folder of one.")
    report.error(message, source.path, path=source.path)


def _owner(source: SourceFile, recordings: Sequence[Recorded]) -> Recorded | None:
    """The recording in the nearest folder around; of several there, the one with whose name the summary begins."""
    parts = source.path.split("/")
    for depth in range(len(parts) - 1, -1, -1):
        around = "/".join(parts[:depth])
        near = [one for one in recordings if one.source.path.rpartition("/")[0] == around]
        named = [one for one in near if re.match(rf"{re.escape(one.item)}[ _.-]", parts[depth], re.IGNORECASE)]
        if near:
            return named[0] if named else near[0] if len(near) == 1 else None
    return None


def _take_summaries(recording: Recorded, plan: Plan, report: Report) -> None:
    item = recording.item
    bundles = [source for source in recording.rest if _is_bundle(source)]
    singles = [source for source in recording.rest if source not in bundles]
    if bundles:
        if len(bundles) > 1 or singles:
            report.error(
                _("The summaries of '{item}' come in more than one form ({paths}). Keep one of them."),
                bundles[0].path,
                item=item,
                paths=some(source.path for source in [*bundles, *singles]),
            )
        plan.bundles.append(Bundle(bundles[0].path, item))
        return
    for source in singles:
        condition = summary_name(source.path, recording.names)
        if condition:
            plan.add(Cell(item, condition, source.path))
        else:
            message = _("'{path}' does not say which summary it is. Name it after its condition, or A-1, A-2, ...")
            report.error(message, source.path, path=source.path)


def _is_bundle(source: SourceFile) -> bool:
    return source.kind is Kind.PROJECT or BUNDLE_NAME.fullmatch(name_of(source.path)) is not None


def _prefix(source: SourceFile) -> str:
    match = LONG_NAME.fullmatch(name_of(source.path))
    return (match and match["item"]) or ""


def _folder(source: SourceFile) -> str:
    return source.path.rpartition("/")[0].rpartition("/")[2]
