"""Report of mean opinion scores: model and other units, differences, breakdowns, and shapes that others parse."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from analysis import datasets, p808_export
from analysis.adjustment import adjustments_of
from analysis.exports import csv_lines
from analysis.reports import inference, ordinal
from analysis.reports.base import Asked, Choices, Pieces, Report, ReportFile, Result
from analysis.reports.inference import of_scale
from analysis.reports.listeners import listener_tables
from analysis.reports.mean_plot import mean_plot
from analysis.reports.messages import fill_methods_text, listener_sentences
from analysis.reports.tables import (
    Row,
    Table,
    count,
    difference_columns,
    mean_columns,
    number_column,
    percent,
    range_column,
    text_column,
)
from analysis.services.results import ITEMS_A_PAGE
from core.i18n import translate_messages
from rating.analysis_plan import LARGEST_MARGIN
from rating.models import Experiment
from rating.registry import get_protocol
from rating.services.experiments import condition_names

UNIT_TABLES = {
    "model": "model_level",
    "listener": "rows",
    "item": "items_level",
    "two-way": "two_way_level",
    "vote": "votes_level",
    "vote-1.96": "votes_level_p808",
}


BROKEN_DOWN = ("listener", "item", "vote", "vote-1.96")  # units of tables by panel and factor


def units() -> dict[str, str]:
    return {
        "model": _("Mixed model"),
        "listener": _("Listeners"),
        "item": _("Items"),
        "two-way": _("Listeners and items, bootstrap"),
        "vote": _("Votes"),
        "vote-1.96": _("Votes, 1.96 SE"),
    }


def unit_notes() -> dict[str, str]:
    return {
        "model": inference.model_note(),
        "listener": _(
            "Mean of listener means with its 95 % t interval over listeners. One listener alone has no interval."
        ),
        "two-way": _(
            "Mean of all votes with its 95 % percentile interval: listeners and items drawn anew together, 2,000 times."
        ),
        "vote": _(
            "Mean of all votes with its 95 % t interval over votes. It takes the votes of one person as independent, "
            "so it is too short."
        ),
        "vote-1.96": _(
            "Mean of all votes and 1.96 standard errors, as the P.808 toolkit prints them. It takes the votes of one "
            "person as independent, so it is too short."
        ),
        "item": _(
            "Mean of item means with its 95 % t interval over items: where the mean would lie with other material."
        ),
    }


def means(table: Mapping[str, Any], *, unit: str, scale: str) -> Table:
    if unit == "model":
        return inference.conditions(table, scale=scale)
    rows = of_scale(table.get(UNIT_TABLES[unit], []), scale)
    columns = [column for column in mean_columns() if unit != "two-way" or column.keys != ("sd",)]
    return Table("conditions", _("By condition"), unit_notes()[unit], columns, rows)


def by_scale(table: Mapping[str, Any], *, unit: str, scales: list[str]) -> Table:
    """One row for each condition, with the mean and interval of every scale in columns; of several scales alone."""
    rows: dict[str, dict[str, Any]] = {}
    empty = {f"{scale}_{name}": None for scale in scales for name in ("mos", "ci_low", "ci_high")}
    for row in table.get(UNIT_TABLES[unit], []) if len(scales) > 1 else []:
        own = rows.setdefault(row["condition"], {"condition": row["condition"], **empty})
        own |= {f"{row['scale']}_{name}": row[name] for name in ("mos", "ci_low", "ci_high")}
    columns = [text_column(_("Condition"), "condition")]
    for scale in scales:
        columns += [
            number_column(scale, f"{scale}_mos"),
            range_column(_("95 % CI"), f"{scale}_ci_low", f"{scale}_ci_high"),
        ]
    note = _("MOS and 95 % CI of every scale ({unit}).").format(unit=units()[unit])
    note = " ".join([note, *(inference.adjusted_note(table) if unit == "model" else [])])
    return Table("all-scales", _("All scales by condition"), note, columns, list(rows.values()))


def differences_over_listeners(table: Mapping[str, Any], *, against: str, scale: str) -> Table:
    columns = difference_columns("difference", _("Difference"), text_column(_("Condition"), "condition"))
    note = _("Each listener's own difference, averaged, with its 95 % t interval over listeners.")
    shown = [row for row in of_scale(table.get("differences", []), scale) if row["against"] == against]
    return Table("differences-listeners", _("Differences over listeners"), note, columns, shown)


def breakdowns(table: Mapping[str, Any], *, unit: str, scale: str) -> list[Table]:
    """Agreement and the model's details, means by panel and by factor, and what order and position did.

    Panels and factors have no model of their own, and are shown over listeners in its place.
    """
    unit = unit if unit in BROKEN_DOWN else "listener"
    made = [
        inference.agreement(table, scale=scale),
        inference.components(table, scale=scale),
        Table(
            "panels",
            _("By panel"),
            unit_notes()[unit],
            mean_columns(text_column(_("Panel"), "panel")),
            _of_unit(of_scale(table.get("panels", []), scale), unit),
        ),
        Table(
            "factors",
            _("By factor"),
            unit_notes()[unit],
            mean_columns(text_column(_("Factor"), "factor"), text_column(_("Level"), "level")),
            _of_unit(of_scale(table.get("factors", []), scale), unit),
        ),
        _distribution(of_scale(table.get("distribution", []), scale)),
        *_effects(table, scale),
        *listener_tables(table, scale=scale),
    ]
    return [each for each in made if each.rows]


def long_table(part: str, rows: list[Row], *, scale: str, page: int) -> Table:
    """One page of the items, or of the clips of the practice."""
    titles = {"items": _("By item"), "practice": _("Practice")}
    notes = {
        "items": _("Over listeners. Means of fewer than five answers are grey."),
        "practice": _("Clips before the test, kept apart from all other figures. Over listeners."),
    }
    columns = mean_columns(text_column(_("Item"), "item"), items=False)
    note = notes[part]
    if any(row.get("ci_bounded_low") is not None for row in rows):
        columns.append(range_column(_("95 % CI, bounded"), "ci_bounded_low", "ci_bounded_high"))
        note += " " + _("The bounded interval stays on the scale, and has a width where all votes agree.")
    table = Table(part, titles[part], note, columns, of_scale(rows, scale), rows_a_page=ITEMS_A_PAGE)
    return replace(table, page=min(max(page, 1), table.pages))


def warning_sentences(warnings: list[Row]) -> list[str]:
    """What an expert reader should know, in words."""
    sentences = {
        "few_votes": _(
            "{scale}: {cells} of {of} clips have fewer answers than planned, the least {least} of {planned}."
        ),
        "unanimous": _(
            "{scale}: in {cells} of {of} clips all listeners gave the same mark; there, an interval of no width does "
            "not mean certainty. Read the bounded one, by item."
        ),
        "floor": _(
            "{scale}, {condition}: {share} of the answers are at the lowest end; differences may not show there."
        ),
        "ceiling": _(
            "{scale}, {condition}: {share} of the answers are at the highest end; differences may not show there."
        ),
        "unbalanced": _("{scale}: conditions have between {least} and {most} answers."),
        "no_model": _("{scale}: no mixed model. {reason}"),
        "these_listeners": _(
            "{scale}: these votes do not show how listeners differ, as with a single one. Intervals of the mixed model "
            "hold for these listeners alone."
        ),
        "these_items": _(
            "{scale}: these votes do not show how items differ, as with a single one. Intervals of the mixed model "
            "hold for these items alone."
        ),
        "cannot_reach": _(
            "{scale}: with {listeners} listeners, Wilcoxon's test after Holm cannot bring any pair below 5 %, whatever "
            "the votes. A large p there says nothing."
        ),
    }
    return [
        sentences[row["code"]].format_map(
            {**translate_messages(row, _), "share": percent(row["share"]) if "share" in row else ""}
        )
        for row in warnings
        if row["code"] in sentences
    ]


def _distribution(rows: list[Row]) -> Table:
    columns = [
        text_column(_("Condition"), "condition"),
        text_column(_("Scale"), "scale"),
        *(number_column(str(n), f"votes_{n}", str) for n in range(1, 6)),
        number_column("%GoB", "good_or_better", percent),
        number_column("%PoW", "poor_or_worse", percent),
    ]
    note = _(
        "How many answers each category got; the shares of 4 and 5 (good or better) and of 1 and 2 (poor or worse)."
    )
    counted = [{**row, **{f"votes_{n}": row["counts"][str(n)] for n in range(1, 6)}} for row in rows]
    return Table("distribution", _("Distribution"), note, columns, counted)


def _effects(table: Mapping[str, Any], scale: str) -> list[Table]:
    orders = of_scale(table.get("orders", []), scale)
    order = difference_columns(
        "difference",
        _("Difference"),
        text_column(_("Condition"), "condition"),
        text_column(_("Order"), "order", "against_order", write="{} − {}".format),
    )
    slope = difference_columns("slope_per_100_pages", _("Points in 100 pages"))
    session = difference_columns(
        "residual",
        _("Residual"),
        text_column(_("Session"), "session"),
        number_column(_("Answers"), "n_votes", count),
        number_column("MOS", "mos"),
    )
    between = any(row["pairing"] == "between listeners" for row in orders)
    return [
        Table("orders", _("Order of the scales"), _order_note(between=between), order, orders),
        Table(
            "positions",
            _("Position"),
            _("How marks drift within a session: the slope of each listener's residuals, averaged over listeners."),
            slope,
            of_scale(table.get("positions", []), scale),
        ),
        Table(
            "sessions",
            _("Sessions"),
            _("A residual is a mark less the mean of its condition and less its listener's own mean; over listeners."),
            session,
            of_scale(table.get("sessions", []), scale),
        ),
    ]


def _order_note(*, between: bool) -> str:
    if between:
        return _(
            "The mean under one order less that under the other. Different listeners heard the two orders, so "
            "differences between people are in it (Welch)."
        )
    return _(
        "Each listener's mean under one order less that under the other, averaged, with its 95 % t interval over "
        "listeners."
    )


def _of_unit(rows: list[Row], unit: str) -> list[Row]:
    return [row for row in rows if row["unit"] == unit]


def methods_text(experiment: Experiment, result: Result) -> str:
    """Say what the figures are made of; nothing where there are none."""
    counts = result["counts"]
    if not counts:
        return ""
    told = [
        _(
            "{listeners} listeners rated {items} items under {conditions} conditions with the protocol {protocol} "
            "{protocol_version} (wording {wording}, scales: {scales}, panels: {panels}), {votes} votes in all."
        ),
        *inference.methods_sentences(result["table"]),
        _(
            "Figures over listeners are means of listener means, of listeners who answered every page, with 95 % t "
            "intervals, not cut to the ends of the scale. SDs have n − 1 in the denominator."
        ),
        _("{practice_votes} votes of the practice are kept apart.") if counts["practice_votes"] else "",
        _("Ballots that were given up and taken over by others do not count."),
    ]
    return fill_methods_text(
        experiment, result, told, counts=counts, scales=", ".join(scale["key"] for scale in result["scales"])
    )


EXAMPLE_SCRIPTS = Path(__file__).resolve().parent.parent / "example_scripts"
EXPECTED = ("condition", "scale", "n_votes", "n_listeners", "mos", "sd", "ci_low", "ci_high")


LONG = ("items", "practice")


MODEL = (*EXPECTED[:4], "n_items", "mos", "se", "df", "ci_low", "ci_high", "letters", "adjusted_factors")
CONTRASTS = (
    *("condition", "against", "scale", "difference", "se", "df", "ci_low", "ci_high"),
    *("t", "p", "p_holm", "p_holm_against", "ci90_low", "ci90_high", "adjusted_factors"),
)


def _means(experiment: Experiment, result: Result, asked: Asked) -> Pieces:
    return csv_lines(result["table"]["rows"], columns=EXPECTED)


def _model(experiment: Experiment, result: Result, asked: Asked) -> Pieces:
    return csv_lines(result["table"].get("model_level", []), columns=MODEL)


def _contrasts(experiment: Experiment, result: Result, asked: Asked) -> Pieces:
    return csv_lines(result["table"].get("contrasts", []), columns=CONTRASTS)


def _figure(experiment: Experiment, result: Result, asked: Asked) -> Pieces:
    table = result["table"]
    chosen = MosChoices(asked, [scale["key"] for scale in result["scales"]])
    unit = shown_unit(table, chosen.unit)
    rows = of_scale(table.get(UNIT_TABLES[unit], []), chosen.scale)
    return [mean_plot(rows, result["scales"], note=figure_note(unit))]


def shown_unit(table: Mapping[str, Any], unit: str) -> str:
    """What the figure can show: over listeners where no scale has a model."""
    return unit if table.get(UNIT_TABLES[unit]) else "listener"


def figure_note(unit: str) -> str:
    return _("Points: means. Bars: 95 % CI ({unit}).").format(unit=units()[unit])


class MosReport(Report):
    template = "analysis/reports/mos.html"
    downloads = "analysis/reports/mos_downloads.html"
    long = LONG
    files: ClassVar[Mapping[str, ReportFile]] = {
        "means.csv": ReportFile(gettext_lazy("Means by condition (CSV)"), _means),
        "model.csv": ReportFile(gettext_lazy("Means of the mixed model (CSV)"), _model),
        "contrasts.csv": ReportFile(gettext_lazy("Differences by the mixed model (CSV)"), _contrasts),
        "mos.svg": ReportFile(gettext_lazy("Means by condition (SVG)"), _figure, "image/svg+xml"),
    }

    def context(self, experiment: Experiment, result: Result, asked: Asked) -> dict[str, Any]:
        table, scales = result["table"], [scale["key"] for scale in result["scales"]]
        chosen = MosChoices(asked, scales, adjusted_for=table.get("adjustment", {}).get("for", ""))
        unit = shown_unit(table, chosen.unit)
        compared, choices, against = inference.differences(
            table, against=chosen.against, scale=chosen.scale, margin=chosen.margin
        )
        long = [
            long_table(part, table.get(part, []), scale=chosen.scale, page=chosen.pages[part]) for part in self.long
        ]
        return {
            "asked": chosen,
            "units": units(),
            "scales": scales,
            "means": means(table, unit=chosen.unit, scale=chosen.scale),
            "all_scales": by_scale(table, unit=unit, scales=[] if chosen.scale else scales),
            "apart": inference.completeness(table, scale=chosen.scale),
            "plot": {"scales": result["scales"], "rows": of_scale(table.get(UNIT_TABLES[unit], []), chosen.scale)},
            "figure_note": figure_note(unit),
            "unit_links": {unit: chosen.query(unit=unit) for unit in UNIT_TABLES},
            "scale_links": {scale: chosen.query(scale=scale) for scale in scales},
            "every_scale": chosen.query(scale=""),
            "adjustments": _adjustments(table, chosen),
            "differences": compared,
            "choices": choices,
            "against": against,
            "compared": [
                inference.all_pairs(table, scale=chosen.scale, margin=chosen.margin),
                differences_over_listeners(table, against=against, scale=chosen.scale),
                *inference.tests(table, scale=chosen.scale),
            ],
            "ordinal": ordinal.context(experiment, simulated=result["simulated"], scale=chosen.scale),
            "breakdowns": breakdowns(table, unit=chosen.unit, scale=chosen.scale),
            "long": [_paged(each, chosen) for each in long if each.rows],
            "warnings": [*listener_sentences(table), *warning_sentences(table.get("warnings", []))],
            "methods_text": methods_text(experiment, result),
        }

    def dataset(self, experiment: Experiment, result: Result, *, simulated: bool) -> Iterable[tuple[str, Pieces]]:
        if result["computed_at"] is not None:
            yield "analysis/expected.csv", _means(experiment, result, {})
        for name in ("starter.py", "starter.R"):
            yield f"analysis/{name}", [(EXAMPLE_SCRIPTS / name).read_text()]
        yield from _legacy(experiment, simulated=simulated)


class MosChoices(Choices):
    """The unit of intervals, one scale or all, what differences are to, a margin, and pages of long tables."""

    usual: ClassVar[Mapping[str, str]] = {"unit": "model"}

    def __init__(self, asked: Asked, scales: list[str], *, adjusted_for: str = "") -> None:
        super().__init__(asked)
        # "none" stands in the address, where the registered plan would else decide.
        self.adjust = adjusted_for or ("none" if asked.get("adjust") else "")
        self.unit = asked["unit"] if asked.get("unit") in UNIT_TABLES else "model"
        self.scale = asked["scale"] if asked.get("scale") in scales else ""
        self.against = asked.get("against", "")
        self.margin_text = asked.get("margin", "").strip()[:20]
        self.margin = _margin(self.margin_text)
        self.pages = {part: _number(asked.get(f"{part}_page", "")) for part in LONG}

    @property
    def chosen(self) -> Mapping[str, str | None]:
        margin = self.margin_text if self.margin else ""
        own = {"unit": self.unit, "scale": self.scale, "against": self.against, "margin": margin}
        return own | {"adjust": self.adjust}


def _adjustments(table: Mapping[str, Any], chosen: MosChoices) -> list[dict[str, str]]:
    """What the model can be adjusted for, each with its words and the address of the same page."""
    known = adjustments_of(table)
    words = inference.adjustment_names() | {"none": _("nothing")}
    return [{"key": key, "words": words[key], "query": chosen.query(adjust=key)} for key in ("none", *known) if known]


def _legacy(experiment: Experiment, *, simulated: bool) -> Iterator[tuple[str, Pieces]]:
    """The shapes of others, one file a scale; each is made when its turn comes."""
    dataset = datasets.read_dataset(experiment, simulated=simulated)
    scales = [scale.key for scale in get_protocol(experiment.protocol).scales]
    names = condition_names(experiment)
    clips = partial(p808_export.clips, datasets.not_excluded(dataset.scores), names=names)
    for scale in scales:
        made, suffix = clips(scale=scale), p808_export.suffix_of(scales, scale)
        wide = csv_lines(p808_export.wide_rows(made), columns=p808_export.wide_columns(len(dataset.ballots)))
        yield f"legacy/udase/results_{scale}.csv", wide
        by_clip = csv_lines(p808_export.clip_rows(made, suffix), columns=p808_export.clip_columns(made, suffix))
        yield f"legacy/p808/votes_per_clip{suffix.lower()}.csv", by_clip
    layout = p808_export.layout_of(experiment.protocol)
    rows = p808_export.condition_rows({scale: clips(scale=scale) for scale in scales}, layout)
    name = "votes_per_cond_all-scales" if len(scales) > 1 else "votes_per_cond"
    yield f"legacy/p808/{name}.csv", csv_lines(rows, columns=p808_export.condition_columns(scales, layout))


def _margin(text: str) -> float | None:
    """A difference above 0, with a point or a comma; none where it is something else."""
    try:
        margin = float(text.replace(",", "."))
    except ValueError:
        return None
    return margin if 0 < margin <= LARGEST_MARGIN else None


def _number(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < 10 else 1


def _paged(table: Table, asked: MosChoices) -> Mapping[str, Any]:
    turn = {"before": table.page - 1, "after": table.page + 1 if table.page < table.pages else 0}
    links = {name: asked.query(**{f"{table.id}_page": to}) if to else "" for name, to in turn.items()}
    return {"table": table, "opened": table.page > 1, **links}
