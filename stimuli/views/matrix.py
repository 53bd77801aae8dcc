"""Matrix of a collection's cells: the rows of one page, their order, and each clip's distance from the median level."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any
from uuid import UUID

from django.core.paginator import Page, Paginator
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from stimuli.models import Collection, Condition, Item, Stimulus
from stimuli.views.clips import outliers
from stimuli.views.imports import PILLS, clock

ITEMS_A_PAGE, CELLS_A_PAGE = 50, 500  # whichever is fewer, so that a page stays fast with many conditions
FEWEST_ITEMS = 10
WAVEFORMS, LOUDNESS = "waveforms", "loudness"  # what colours the cells: nothing, or the distance in loudness
BY_NAME, BY_DISTANCE = "name", "distance"
# Where the colours of the distance begin, in LU: differences below 1 are hard to hear, and 6 are twice the amplitude.
STEPS_LU = (1.0, 3.0, 6.0)


@dataclass(frozen=True)
class Look:
    """What the page was asked to show, and in which order."""

    show: str = WAVEFORMS
    order: str = BY_NAME

    @classmethod
    def asked(cls, query: Mapping[str, str]) -> "Look":
        """As the address says; anything unknown counts as not asked."""
        show = LOUDNESS if query.get("show") == LOUDNESS else WAVEFORMS
        return cls(show, BY_DISTANCE if query.get("order") == BY_DISTANCE else BY_NAME)

    @property
    def query(self) -> str:
        """The part of an address that keeps it."""
        return "".join(f"{name}={value}&" for name, value in self.kept.items())

    @property
    def kept(self) -> dict[str, str]:
        chosen = {"show": self.show, "order": self.order}
        return {name: value for name, value in chosen.items() if value not in {WAVEFORMS, BY_NAME}}


@dataclass(frozen=True)
class Distance:
    """How far a clip's loudness is from that of the others, as the cell shows it."""

    lu: float  # to one decimal, so that colour and figure agree
    is_outlier: bool = False

    @property
    def step(self) -> str:
        """Name of the colour: how many of the bounds are passed, and to which side."""
        passed = sum(abs(self.lu) >= bound for bound in STEPS_LU)
        return f"{'louder' if self.lu > 0 else 'quieter'}-{passed}" if passed else "near"

    @property
    def text(self) -> str:
        sign = "+" if self.lu > 0 else "−" if self.lu < 0 else "±"
        return _("{sign}{distance} LU").format(sign=sign, distance=number_format(abs(self.lu), 1))


@dataclass(frozen=True)
class Loudness:
    """The level that clips are compared with, and the distance of each from it."""

    reference_lufs: float
    is_target: bool
    distances: dict[UUID, Distance]
    by_item: dict[UUID, float]  # of each item's farthest clip

    @property
    def outlier_count(self) -> int:
        return sum(one.is_outlier for one in self.distances.values())


@dataclass(frozen=True)
class CellView:
    """One cell as it is drawn."""

    stimulus: Stimulus | None
    duration: str = ""
    text: str = ""
    worst: str = ""  # the gravest finding's pill
    finding_count: int = 0
    distance: Distance | None = None


@dataclass(frozen=True)
class Row:
    item: Item
    cells: list[CellView]


def matrix_page(
    collection: Collection,
    number: str,
    findings: Sequence[Mapping[str, Any]],
    look: Look | None = None,
    target_lufs: float | None = None,
) -> dict[str, Any]:
    """The conditions, the rows of one page, the pages there are, and what the colours mean."""
    look = look or Look()
    is_compared = look.show == LOUDNESS or look.order == BY_DISTANCE
    loudness = loudness_in(collection, target_lufs) if is_compared else None
    conditions = list(collection.conditions.all())
    most = max(min(ITEMS_A_PAGE, CELLS_A_PAGE // max(len(conditions), 1)), FEWEST_ITEMS)
    page: Page[UUID] = Paginator(_in_order(collection, look, loudness), most).get_page(number)
    items = collection.items.in_bulk(list(page))
    stimuli = Stimulus.objects.filter(item__in=items).select_related("item", "condition", "recording")
    cells = {(stimulus.item_id, stimulus.condition_id): stimulus for stimulus in stimuli}
    complaints = defaultdict(list)
    for finding in findings:
        complaints[finding["stimulus"]].append(finding["severity"])
    distances = loudness.distances if loudness and look.show == LOUDNESS else {}
    rows = [
        Row(items[pk], [_cell(cells.get((pk, condition.pk)), complaints, distances) for condition in conditions])
        for pk in page
    ]
    return {"conditions": conditions, "rows": rows, "page": page, "look": look, "loudness": loudness}


def loudness_in(collection: Collection, target_lufs: float | None = None) -> Loudness | None:
    """Compare every measured clip with the target, or else with the median of those that are not excluded."""
    clips = Stimulus.objects.filter(item__collection=collection, recording__measures__integrated_lufs__isnull=False)
    fields = ("pk", "item_id", "item__excluded_at", "recording__measures__integrated_lufs")
    known = clips.exclude(condition__role=Condition.Role.FULL_LENGTH).values_list(*fields)
    rows = [row for row in known if row[3] is not None]  # silence has no loudness
    if not rows:
        return None
    offered = [lufs for _pk, _item, excluded_at, lufs in rows if excluded_at is None]
    reference = median(offered or [row[3] for row in rows]) if target_lufs is None else target_lufs
    marks = outliers([row[3] for row in rows])
    distances: dict[UUID, Distance] = {}
    by_item: dict[UUID, float] = defaultdict(float)
    for (pk, item, _excluded, lufs), is_outlier in zip(rows, marks, strict=True):
        distances[pk] = Distance(round(lufs - reference, 1), is_outlier)
        by_item[item] = max(by_item[item], abs(lufs - reference))
    return Loudness(reference, target_lufs is not None, distances, by_item)


def _in_order(collection: Collection, look: Look, loudness: Loudness | None) -> list[UUID]:
    names = dict(collection.items.order_by("name").values_list("pk", "name"))
    if look.order == BY_NAME or loudness is None:
        return list(names)
    return sorted(names, key=lambda pk: (-loudness.by_item.get(pk, -1.0), names[pk]))


def _cell(
    stimulus: Stimulus | None, complaints: Mapping[str, list[str]], distances: Mapping[UUID, Distance]
) -> CellView:
    if stimulus is None:
        return CellView(None)
    found = complaints.get(str(stimulus.pk), [])
    worst = next((PILLS.get(severity, "info") for severity in ("error", "warning", "note") if severity in found), "")
    text = stimulus.text or {}
    words = text.get("text") or " ".join(text.get("tokens", []))
    return CellView(stimulus, duration(stimulus.duration_s), words, worst, len(found), distances.get(stimulus.pk))


def duration(seconds: float) -> str:
    """In words that fit a key: seconds for a clip, hours for a day."""
    if seconds < 60:
        return _("{seconds} s").format(seconds=number_format(seconds, 2))
    return clock(seconds)
