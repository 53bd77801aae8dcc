"""Attention checks in one seat's plan: trap clips, gold clips and repeats, placed among the pages of the test."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from random import Random

from core.errors import AppError
from core.i18n import gettext_noop as _
from rating.protocol import Designable, Entry, PageHolds, Protocol, ScaleProtocol, TrialKind, TrialPlan

Range = tuple[float, float]
Page = tuple[
    TrialPlan, ...
]  # the trials that follow each other about one clip, one for each scale where they take turns

PAGES_PER_CHECK = 2  # of the test, at least, so that checks stay the exception
REPEAT_AFTER = 4  # a repeat comes after at least one in so many of the test's pages, where that is possible

NUMBER = r"-?\d+(?:\.\d+)?"
RANGE = re.compile(rf"(?:(?P<scale>[A-Z_]+)\s+)?(?P<low>{NUMBER})(?:\s*(?:-|–|to|\.\.)\s*(?P<high>{NUMBER}))?")


@dataclass(frozen=True)
class Check:
    """A clip with a known answer: a trap or a gold clip, and what its page holds."""

    kind: TrialKind
    page: tuple[Entry, ...]


def checkable(protocol: Protocol) -> ScaleProtocol | None:
    """The protocol, if listeners rate one clip after the other on scales; nothing for any other."""
    rates_clips = isinstance(protocol, ScaleProtocol) and protocol.page_holds is not PageHolds.ITEM
    return protocol if rates_clips else None  # type: ignore[return-value]


def expected_of(text: str, protocol: Protocol) -> dict[str, Range]:
    """Read what is expected on each scale: "4-5" for all of them, or "SIG 1-2, OVRL 1"."""
    found: dict[str, Range] = {}
    for part in filter(None, (part.strip() for part in re.split(r"[,;]", text))):
        read = RANGE.fullmatch(part)
        if read is None:
            raise _unreadable(part, protocol)
        low = float(read["low"])
        high = float(read["high"]) if read["high"] else low
        for scale in protocol.scales:
            if read["scale"] in (None, scale.key):
                if not scale.low <= low <= high <= scale.high:
                    raise _unreadable(part, protocol)
                found[scale.key] = (low, high)
        if read["scale"] and read["scale"] not in found:
            raise _unreadable(part, protocol)
    return found


def expected_examples(protocol: Protocol) -> dict[str, str]:
    """Expected answers that the scales of the protocol have: on all of them, and on single ones if it has several."""
    low, high = max(scale.low for scale in protocol.scales), min(scale.high for scale in protocol.scales)
    first, last = protocol.scales[0], protocol.scales[-1]
    return {
        "number": f"{low:g}",
        "range": f"{high - 1:g}-{high:g}",
        "single": f"{first.key} {low:g}-{low + 1:g}, {last.key} {low:g}" if first is not last else "",
    }


def written_ranges(expected: Mapping[str, Sequence[float]], protocol: Protocol) -> str:
    """The text from which the same is read: without the scales where all expect the same."""
    pairs = {scale.key: expected[scale.key] for scale in protocol.scales if scale.key in expected}
    ranges = {scale: f"{low:g}" if low == high else f"{low:g} to {high:g}" for scale, (low, high) in pairs.items()}
    if len(set(ranges.values())) == 1 and len(ranges) == len(protocol.scales):
        return next(iter(ranges.values()))
    return ", ".join(f"{scale} {text}" for scale, text in ranges.items())


def _unreadable(part: str, protocol: Protocol) -> AppError:
    scales = ", ".join(f"{scale.key} {scale.low:g} to {scale.high:g}" for scale in protocol.scales)
    return AppError(
        "checks.expected_unreadable",
        422,
        _("'{part}' is no expected answer. Write a number or a range within the scales ({scales}), such as {example}."),
        part=part[:40],
        scales=scales,
        example=expected_examples(protocol)["range"],
    )


def page_for(entry: Entry, beside: Sequence[Entry], protocol: Designable) -> tuple[Entry, ...]:
    """What the page of a check holds: beside a pair's reference, or with itself where its item has none."""
    if protocol.page_holds is PageHolds.PAIR:
        return (next((other for other in beside if other.item == entry.item), entry), entry)
    return (entry,)


def place_checks(
    trials: Sequence[TrialPlan], *, checks: Sequence[Check], repeats: int, protocol: Designable, rng: Random
) -> list[TrialPlan]:
    """Put every check, and so many pages a second time, after pages of the test.

    The test is cut into as many stretches of equal length as there are checks, and each gets one at a random place, so
    they are spread over the sessions, none is the first of a session, and none follows another at once.
    """
    pages = [tuple(page) for _key, page in groupby(trials, key=_clip)]
    tested = [number for number, page in enumerate(pages) if page[0].kind is TrialKind.TEST]
    count = len(checks) + repeats
    if not count:
        return list(trials)
    if len(tested) < PAGES_PER_CHECK * count:
        raise _too_many(count, clips=len(tested))
    places = [rng.randrange(*_stretch(number, count, len(tested))) for number in range(count)]
    again = _places_of_repeats(places, repeats, total=len(tested), rng=rng)
    others = iter(rng.sample(list(checks), len(checks)))
    added: dict[int, Page] = {}
    used: set[int] = set()
    for place in places:
        before = pages[tested[place]]
        if place in again:
            near = {_item(pages[tested[number]]) for number in (place, place + 1) if number < len(tested)}
            there = [number for number in range(place) if _item(pages[tested[number]]) not in near]
            first = _first_hearing(place, [number for number in there if number not in used], len(tested), rng)
            used.add(first)
            entries, kind = tuple(slot.entry for slot in pages[tested[first]][0].slots), TrialKind.REPEAT
        else:
            check = next(others)
            entries, kind = check.page, check.kind
        scales = tuple(scale for trial in before for scale in trial.ask)
        made = protocol.trials_for(entries, session=before[0].session, kind=kind, scales=scales)
        added[tested[place]] = made
    return [trial for number, page in enumerate(pages) for trial in (*page, *added.get(number, ()))]


def _too_many(count: int, *, clips: int) -> AppError:
    return AppError(
        "checks.too_many",
        422,
        _("{checks} attention checks are too many for {clips} clips. Use {most} at most."),
        checks=count,
        clips=clips,
        most=clips // PAGES_PER_CHECK,
    )


def _clip(trial: TrialPlan) -> tuple[int, TrialKind, tuple[str, ...]]:
    return trial.session, trial.kind, tuple(slot.entry.stimulus for slot in trial.slots)


def _stretch(number: int, count: int, total: int) -> tuple[int, int]:
    """The first place of a stretch and the one after its last; the very first page of the test is left alone."""
    return max(1, number * total // count), (number + 1) * total // count


def _places_of_repeats(places: Sequence[int], repeats: int, *, total: int, rng: Random) -> set[int]:
    """Places with enough of the test before them, any of these; where they are too few, the last ones."""
    late = [place for place in places if place >= max(2, total // REPEAT_AFTER)]
    return set(rng.sample(late, repeats) if len(late) >= repeats else sorted(places)[-repeats:])


def _first_hearing(place: int, free: Sequence[int], total: int, rng: Random) -> int:
    """The page that is heard again at a place: long before it where possible."""
    far = [page for page in free if place - page >= max(2, total // REPEAT_AFTER)]
    return rng.choice(far) if far else min(free, default=0)


def _item(page: Page) -> str:
    return page[0].slots[-1].entry.item


def is_passed(given: Mapping[str, float], expected: Mapping[str, Sequence[float]]) -> bool:
    """Whether every scale that has an expected range was answered inside it."""
    return all(low <= given[scale] <= high for scale, (low, high) in expected.items() if scale in given)
