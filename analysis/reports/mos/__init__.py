"""The report of mean opinion scores: units to choose from, differences, breakdowns, and shapes that others parse."""

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from django.utils.translation import gettext_lazy

from analysis import datasets, matrices
from analysis.exports import csv_lines
from analysis.reports.base import Asked, Pieces, Report, ReportFile, Result
from analysis.reports.choices import Choices
from analysis.reports.listeners import complete_only, listener_sentences
from analysis.reports.mos import tables
from analysis.reports.mos.paragraph import paragraph
from rating.models import Experiment
from rating.registry import get_protocol
from rating.services.experiments import condition_names

STARTERS = Path(__file__).resolve().parent.parent.parent / "starters"
EXPECTED = ("condition", "scale", "n_votes", "n_listeners", "mos", "sd", "ci_low", "ci_high")


LONG = ("items", "anchoring")


def _means(experiment: Experiment, result: Result, asked: Asked) -> Pieces:
    return csv_lines(result["table"]["rows"], columns=EXPECTED)


class MosReport(Report):
    template = "analysis/reports/mos.html"
    downloads = "analysis/reports/mos_downloads.html"
    long = LONG
    files: ClassVar[Mapping[str, ReportFile]] = {
        "means.csv": ReportFile(gettext_lazy("Means by condition (CSV)"), _means)
    }

    def context(self, experiment: Experiment, result: Result, asked: Asked) -> dict[str, Any]:
        table, scales = result["table"], [scale["key"] for scale in result["scales"]]
        chosen = MosChoices(asked, scales)
        differences, choices, against = tables.differences(table, against=chosen.against, scale=chosen.scale)
        long = [
            tables.long_table(part, table.get(part, []), scale=chosen.scale, page=chosen.pages[part])
            for part in self.long
        ]
        return {
            "asked": chosen,
            "units": tables.units(),
            "scales": scales,
            "means": tables.means(table, unit=chosen.unit, scale=chosen.scale),
            "complete": complete_only(
                tables.means({"rows": table.get("complete_listeners", [])}, unit="listener", scale=chosen.scale)
            ),
            "unit_table": tables.UNIT_TABLES[chosen.unit],
            "unit_links": {unit: chosen.query(unit=unit) for unit in tables.UNIT_TABLES},
            "scale_links": {scale: chosen.query(scale=scale) for scale in scales},
            "every_scale": chosen.query(scale=""),
            "differences": differences,
            "choices": choices,
            "against": against,
            "breakdowns": tables.breakdowns(table, unit=chosen.unit, scale=chosen.scale),
            "long": [_paged(each, chosen) for each in long if each.lines],
            "warnings": [*listener_sentences(table), *tables.warning_sentences(table.get("warnings", []))],
            "paragraph": paragraph(experiment, result),
        }

    def dataset(self, experiment: Experiment, result: Result, *, simulated: bool) -> Iterable[tuple[str, Pieces]]:
        if result["computed_at"] is not None:
            yield "analysis/expected.csv", _means(experiment, result, {})
        for name in ("starter.py", "starter.R"):
            yield f"analysis/{name}", [(STARTERS / name).read_text()]
        yield from _legacy(experiment, simulated=simulated)


class MosChoices(Choices):
    """The unit of intervals, one scale or all, what differences are to, and pages of long tables."""

    usual: ClassVar[Mapping[str, str]] = {"unit": "listener"}

    def __init__(self, asked: Asked, scales: list[str]) -> None:
        super().__init__(asked)
        self.unit = asked["unit"] if asked.get("unit") in tables.UNIT_TABLES else "listener"
        self.scale = asked["scale"] if asked.get("scale") in scales else ""
        self.against = asked.get("against", "")
        self.pages = {part: _number(asked.get(f"{part}_page", "")) for part in LONG}

    @property
    def chosen(self) -> Mapping[str, str | None]:
        return {"unit": self.unit, "scale": self.scale, "against": self.against}


def suffix_of(scales: list[str], scale: str) -> str:
    """What the P.808 toolkit adds to its column names: nothing where there is one scale."""
    return f"_{scale}" if len(scales) > 1 else ""


def _legacy(experiment: Experiment, *, simulated: bool) -> Iterator[tuple[str, Pieces]]:
    """The shapes of others, one file a scale; each is made when its turn comes, out of the codes."""
    table = datasets.table(experiment, simulated=simulated)
    scales = [scale.key for scale in get_protocol(experiment.protocol).scales]
    clips = partial(matrices.clips, table, names=condition_names(experiment))
    for scale in scales:
        made, suffix = clips(scale=scale), suffix_of(scales, scale)
        wide = csv_lines(matrices.wide_rows(made), columns=matrices.wide_columns(table))
        yield f"legacy/udase/results_{scale}.csv", wide
        by_clip = csv_lines(matrices.clip_rows(made, suffix), columns=matrices.clip_columns(made, suffix))
        yield f"legacy/p808/votes_per_clip{suffix.lower()}.csv", by_clip
    rows = matrices.condition_rows({scale: clips(scale=scale) for scale in scales})
    name = "votes_per_cond_all-scales" if len(scales) > 1 else "votes_per_cond"
    yield f"legacy/p808/{name}.csv", csv_lines(rows, columns=matrices.condition_columns(scales))


def _number(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < 10 else 1


def _paged(table: Any, asked: MosChoices) -> Mapping[str, Any]:
    page, pages = table.pages["page"], table.pages["pages"]
    turn = {"before": page - 1, "after": page + 1 if page < pages else 0}
    links = {name: asked.query(**{f"{table.id}_page": to}) if to else "" for name, to in turn.items()}
    return {"table": table, "opened": page > 1, **links}
