"""Order effects of a design: repeats of an item, runs of a condition, and which condition follows which."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from statistics import fmean, pstdev

from core.i18n import LazyMessage
from listening.design.base import Design, Showing
from listening.design.orders.assignment import OFTEN, least_share
from listening.design.report.balance import heard
from listening.design.report.values import Finding, Table, Verdict, fixed, span

EVEN_VARIATION, UNEVEN_VARIATION = 0.1, 0.25  # coefficient of variation of the counts of ordered pairs in a panel
EVEN_ON_ITEMS, UNEVEN_ON_ITEMS = 0.15, 0.35  # the same, of successive showings of one item
NEARLY, PLAINLY = 0.1, 0.25  # how far the share of the most frequent successors may lie above the least possible


def order(design: Design) -> Iterator[Finding]:
    yield item_repeats(design)
    yield item_distance(design)
    yield condition_runs(design)
    if len(design.request.conditions) > 1:
        yield carry_over(design)
        yield item_successors(design)
        yield first_conditions(design)
    yield distinct_sequences(design)


def item_repeats(design: Design) -> Finding:
    """Session borders count too: after a break the same item would still be the last one heard."""
    repeats = [sum(one.item == other.item for one, other in pairwise(heard(sequence))) for sequence in design.sequences]
    total, most = sum(repeats), max(repeats)
    affected = sum(count > 0 for count in repeats)
    return Finding(
        key="item_repeats",
        title=LazyMessage("Same item twice in a row"),
        value=str(total),
        verdict=Verdict.BAD if total else Verdict.OK,
        sentence=LazyMessage(
            "An item follows itself {total} times in all, {most} times at most for one listener; "
            "{affected} of {listeners} listeners meet it.",
            total=total,
            most=most,
            affected=affected,
            listeners=len(repeats),
        ),
        numbers={"total": total, "most": most, "affected": affected},
    )


def item_distance(design: Design) -> Finding:
    nearest = [found for sequence in design.sequences if (found := smallest_distance(heard(sequence))) is not None]
    bound = min(map(len, design.request.subsets))
    if not nearest:
        return Finding(
            key="item_distance",
            title=LazyMessage("Smallest distance between repeats of an item"),
            value="-",
            verdict=Verdict.OK,
            sentence=LazyMessage("No listener hears an item twice."),
        )
    low = min(nearest)
    return Finding(
        key="item_distance",
        title=LazyMessage("Smallest distance between repeats of an item"),
        value=str(low),
        verdict=Verdict.OK if low >= max(2, bound / 2) else Verdict.WARN if low > 1 else Verdict.BAD,
        sentence=LazyMessage(
            "Two showings of an item are at least {low} places apart; the most that is possible is {bound}, the number "
            "of items in a panel.",
            low=low,
            bound=bound,
        ),
        numbers={"low": low, "bound": bound},
    )


def smallest_distance(showings: Sequence[Showing]) -> int | None:
    last: dict[str, int] = {}
    smallest = None
    for place, showing in enumerate(showings):
        if showing.item in last:
            distance = place - last[showing.item]
            smallest = distance if smallest is None else min(smallest, distance)
        last[showing.item] = place
    return smallest


def condition_runs(design: Design) -> Finding:
    longest = max(
        len(list(run))
        for sequence in design.sequences
        for _, run in groupby(heard(sequence), key=lambda showing: (showing.session, showing.condition))
    )
    single = len(design.request.conditions) == 1
    return Finding(
        key="condition_runs",
        title=LazyMessage("Longest run of one condition"),
        value=str(longest),
        verdict=Verdict.OK if longest <= 2 or single else Verdict.WARN if longest <= 3 else Verdict.BAD,
        sentence=LazyMessage("Within a session the longest run of one condition is {longest}.", longest=longest),
        numbers={"longest": longest},
    )


def carry_over(design: Design) -> Finding:
    """Judged within panels, because every panel must be able to stand for its own items."""
    names = design.request.conditions
    panels: dict[int, Counter[tuple[str, str]]] = {}
    for sequence in design.sequences:
        counts = panels.setdefault(sequence.panel, Counter())
        for one, other in pairwise(heard(sequence)):
            if one.session == other.session:
                counts[one.condition, other.condition] += 1
    unlike = [[counts[one, other] for one in names for other in names if one != other] for counts in panels.values()]
    worst = max(unlike, key=_variation)
    low, high, variation = min(map(min, unlike)), max(map(max, unlike)), _variation(worst)
    alike = sum(counts[name, name] for counts in panels.values() for name in names)
    even = max(worst) - min(worst) <= 1 or variation <= EVEN_VARIATION
    return Finding(
        key="carry_over",
        title=LazyMessage("Which condition follows which"),
        value=span(low, high),
        verdict=Verdict.OK if even else Verdict.WARN if variation <= UNEVEN_VARIATION else Verdict.BAD,
        sentence=LazyMessage(
            "In a panel each condition follows each other one {times} times inside sessions "
            "(coefficient of variation {variation} in the worst panel), and itself {alike} times in all.",
            times=span(low, high),
            variation=fixed(variation),
            alike=alike,
        ),
        numbers={"low": low, "high": high, "variation": variation, "alike": alike},
        table=_transitions(names, panels.values()),
    )


def item_successors(design: Design) -> Finding:
    """Which condition an item is heard in after which, however many other clips lie between."""
    title = LazyMessage("Which condition follows which on the same item")
    names = design.request.conditions
    panels: defaultdict[int, Counter[tuple[str, str]]] = defaultdict(Counter)
    share = 0.0
    for sequence in design.sequences:
        counts = Counter(_successors(heard(sequence)))
        panels[sequence.panel] += counts
        share = max(share, _most_frequent_share(counts))
    unlike = [[counts[one, other] for one in names for other in names if one != other] for counts in panels.values()]
    if not any(map(sum, unlike)):
        return Finding("item_successors", title, "-", Verdict.OK, LazyMessage("No listener hears an item twice."))
    variation = max(map(_variation, unlike))
    low, high = min(map(min, unlike)), max(map(max, unlike))
    least = max(least_share(len(subset), len(names)) for subset in design.request.subsets)
    evenness = _judged(unlike, EVEN_ON_ITEMS, UNEVEN_ON_ITEMS)
    bounds = [max(bound, least + more) for bound, more in ((OFTEN, NEARLY), (2 * OFTEN, PLAINLY))]
    guess = Verdict.OK if share <= bounds[0] else Verdict.WARN if share <= bounds[1] else Verdict.BAD
    return Finding(
        key="item_successors",
        title=title,
        value=span(low, high),
        verdict=max(evenness, guess, key=list(Verdict).index),
        sentence=LazyMessage(
            "In a panel each condition follows each other one {times} times on the same item (coefficient of variation "
            "{variation} in the worst panel); the most frequent successors of the conditions make up {share} percent "
            "for one listener at most, where {least} is the least possible.",
            times=span(low, high),
            variation=fixed(variation),
            share=f"{100 * share:.0f}",
            least=f"{100 * least:.0f}",
        ),
        numbers={"low": low, "high": high, "variation": variation, "share": share, "least_share": least},
        table=_transitions(names, panels.values()),
    )


def first_conditions(design: Design) -> Finding:
    """An item is new to a listener once, and the condition it is then heard in has the surprise to itself."""
    names = design.request.conditions
    panels: defaultdict[int, Counter[str]] = defaultdict(Counter)
    items: Counter[tuple[int, str, str]] = Counter()
    for sequence in design.sequences:
        first: dict[str, str] = {}
        for showing in heard(sequence):
            first.setdefault(showing.item, showing.condition)
        panels[sequence.panel] += Counter(first.values())
        items += Counter((sequence.panel, item, condition) for item, condition in first.items())
    counts = [[found[name] for name in names] for found in panels.values()]
    low, high = min(map(min, counts)), max(map(max, counts))
    variation, most = max(map(_variation, counts)), max(items.values())
    total: Counter[str] = sum(panels.values(), Counter())
    return Finding(
        key="first_conditions",
        title=LazyMessage("In which condition an item is first heard"),
        value=span(low, high),
        verdict=_judged(counts, EVEN_VARIATION, UNEVEN_VARIATION),
        sentence=LazyMessage(
            "In a panel each condition is the first of an item {times} times (coefficient of variation {variation} in "
            "the worst panel); of a single item it is the same condition for up to {most} of {seats} listeners.",
            times=span(low, high),
            variation=fixed(variation),
            most=most,
            seats=design.request.seats,
        ),
        numbers={"low": low, "high": high, "variation": variation, "most": most},
        table=Table(("condition", "first"), tuple((name, total[name]) for name in names)),
    )


def _successors(showings: Iterable[Showing]) -> Iterator[tuple[str, str]]:
    last: dict[str, str] = {}
    for showing in showings:
        if showing.item in last:
            yield last[showing.item], showing.condition
        last[showing.item] = showing.condition


def _most_frequent_share(counts: Counter[tuple[str, str]]) -> float:
    """Give the share of the successors that are the most frequent ones of the condition before."""
    most: dict[str, int] = {}
    for (before, _), count in counts.items():
        most[before] = max(most.get(before, 0), count)
    return sum(most.values()) / counts.total() if counts else 0.0


def _judged(panels: Iterable[Sequence[int]], even: float, uneven: float) -> Verdict:
    """Call even what varies little, and what is nearly as even as whole numbers allow; judge the worst panel."""
    worst = max(
        (_variation(counts) for counts in panels if max(abs(count - fmean(counts)) for count in counts) >= 2),
        default=0.0,
    )
    return Verdict.OK if worst <= even else Verdict.WARN if worst <= uneven else Verdict.BAD


def _variation(counts: Sequence[int]) -> float:
    mean = fmean(counts)
    return pstdev(counts) / mean if mean else 0.0


def _transitions(names: Sequence[str], panels: Iterable[Counter[tuple[str, str]]]) -> Table:
    total: Counter[tuple[str, str]] = sum(panels, Counter())
    return Table(("condition", *names), tuple((one, *(total[one, other] for other in names)) for one in names))


def distinct_sequences(design: Design) -> Finding:
    seats = len(design.sequences)
    distinct = len({tuple((showing.item, showing.condition) for showing in heard(s)) for s in design.sequences})
    return Finding(
        key="distinct_sequences",
        title=LazyMessage("Different sequences"),
        value=f"{distinct}/{seats}",
        verdict=Verdict.OK if distinct == seats else Verdict.WARN,
        sentence=LazyMessage("{seats} listeners hear {distinct} different sequences.", seats=seats, distinct=distinct),
        numbers={"distinct": distinct, "seats": seats},
    )
