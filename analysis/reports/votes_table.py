"""Report of an uploaded table of votes: its tables and its figure of means, on the page and in the zip."""

import io
import zipfile
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from django.utils.text import slugify
from django.utils.translation import gettext as _

from analysis.reports import inference, metrics
from analysis.reports.mean_plot import mean_plot
from analysis.reports.pictures import PICTURE_FORMATS, SVG, can_draw
from analysis.reports.tables import (
    TABLE_FORMATS,
    Column,
    Row,
    Table,
    count,
    number_column,
    range_column,
    signed,
    tables_in,
    text_column,
)
from analysis.services.tables import AnalysedTable

Found = Mapping[str, Any]  # as analysis.json has it
UNITS = ("listeners", "items", "votes", "two_way")
ITEMS_SHOWN = 100
MOST_WRITTEN = 1000  # rows of a table that is written in every format; a longer one as CSV alone


def report(analysed: AnalysedTable, *, reference: str, margin: float | None) -> dict[str, Any]:
    """What the page shows."""
    found = analysed.found or {}
    if not found:
        return {}
    tables = analysed.tables
    compared = (
        inference.differences(tables, against=reference, scale="", margin=margin)[0]
        if reference
        else inference.all_pairs(tables, scale="", margin=margin)
    )
    by_item = items(found)
    return {
        "means": means(found, tables),
        "figure": figure_of_means(found, tables),
        "differences": compared,
        "compared": [table for table in inference.tests(tables, scale="") if table.rows],
        "metrics": list(_metrics(found)),
        "more": [
            table
            for table in (
                inference.components(tables, scale=""),
                inference.agreement(tables, scale=""),
                listeners(found),
                _repeats(found),
                _factors(found),
                by_item,
            )
            if table.rows
        ],
        "more_rows": max(0, len(by_item.rows) - ITEMS_SHOWN),
    }


def by_scale(found: Found) -> list[tuple[str, Mapping[str, Any]]]:
    return list(found["scales"].items())


def means(found: Found, tables: Mapping[str, Any]) -> Table:
    everybody = found.get("with_excluded", {}).get("scales", {})
    model = {(row["scale"], row["condition"]): row for row in tables.get("model_level", [])}
    rows = []
    for scale, part in by_scale(found):
        for condition, row in part["conditions"].items():
            whole = everybody.get(scale, {}).get("conditions", {}).get(condition, {})
            modelled = model.get((scale, condition), {})
            rows.append(
                {"scale": scale, "condition": condition, "with_excluded": whole.get("mean")}
                | {name: row[name] for name in ("n_votes", "n_listeners", "n_items", "mean", "sd")}
                | {name: modelled.get(name) for name in ("mos", "ci_low", "ci_high", "letters")}
                | {f"{unit}_{end}": limit for unit in UNITS for end, limit in _limits(row["ci95"].get(unit))}
                | {"median": row["median"]["estimate"]}
                | {f"median_{end}": limit for end, limit in _limits(row["median"]["ci95"])}
            )
    note = _(
        "Mean of all votes, and MOS and 95 % CI of the mixed model with listeners and items random. The other "
        "intervals are over listeners, items and votes; the last one is too short for other listeners. Conditions that "
        "share a letter do not differ at 5 % (model, Holm over all pairs)."
    )
    return Table("conditions", _("By condition"), note, _mean_columns(found, bool(everybody)), rows)


def _mean_columns(found: Found, excluded: bool) -> list[Column]:
    drawn = found["options"]["ci_method"] == "bootstrap"
    two_way = [range_column(_("Two-way bootstrap"), "two_way_low", "two_way_high")] if drawn else []
    return [
        text_column(_("Condition"), "condition"),
        text_column(_("Scale"), "scale"),
        number_column(_("Mean"), "mean"),
        *([number_column(_("Mean with excluded"), "with_excluded")] if excluded else []),
        number_column("SD", "sd"),
        number_column(_("MOS, model"), "mos"),
        range_column(_("95 % CI, model"), "ci_low", "ci_high"),
        text_column(_("Letters"), "letters", write=lambda value: value or "-"),
        range_column(_("Over listeners"), "listeners_low", "listeners_high"),
        range_column(_("Over items"), "items_low", "items_high"),
        range_column(_("Over votes"), "votes_low", "votes_high"),
        *two_way,
        number_column(_("Median of listeners"), "median"),
        range_column(_("95 % CI"), "median_low", "median_high"),
        number_column(_("Votes"), "n_votes", count),
        number_column(_("Listeners"), "n_listeners", count),
        number_column(_("Items"), "n_items", count),
    ]


def _limits(limits: list[float | None] | None) -> Iterable[tuple[str, float | None]]:
    return zip(("low", "high"), limits or (None, None), strict=True)


def figure_of_means(found: Found, tables: Mapping[str, Any]) -> str:
    """By the model where every scale has one, else over listeners."""
    modelled = tables.get("model_level", [])
    rows: list[Row] = modelled
    if {row["scale"] for row in modelled} != set(found["scales"]):
        rows = [
            {"scale": scale, "condition": name, "mos": row["mean"]}
            | {f"ci_{end}": limit for end, limit in _limits(row["ci95"]["listeners"])}
            for scale, part in by_scale(found)
            for name, row in part["conditions"].items()
        ]
    unit = _("Mixed model") if rows is modelled else _("Listeners")
    scales = [{"key": scale, **part["range"]} for scale, part in by_scale(found)]
    return mean_plot(rows, scales, note=_("Points: means. Bars: 95 % CI ({unit}).").format(unit=unit))


RULES = (
    *(("bt500", "guarded"), ("p913_correlation", "rejected"), ("p808_correlation", "rejected")),
    *(("low_variance", "rejected"), ("bs1534", "reference"), ("bs1534", "mid_anchor")),
)


def listeners(found: Found) -> Table:
    """What P.910 and every rule say of each listener."""
    rows = [row for scale, part in by_scale(found) for row in _listener_rows(scale, part)]
    note = _(
        "Bias and inconsistency by P.910. A rule names listeners to look at and excludes nobody: BT.500 (guarded "
        "against stimuli on which all agree), correlation with the others below 0.75 (P.913), with the mean below 0.4 "
        "(P.808), variance below 0.1, and on 0 to 100 the hidden reference and mid anchor of BS.1534."
    )
    columns = [
        text_column(_("Listener"), "listener"),
        text_column(_("Scale"), "scale"),
        number_column(_("Votes"), "n_votes", count),
        number_column(_("Bias"), "bias", signed),
        number_column(_("Inconsistency"), "inconsistency"),
        number_column("r (P.913)", "r_p913"),
        number_column("r (P.808)", "r_p808"),
        number_column(_("Variance"), "variance"),
        text_column(_("Named by"), "rules", write=lambda names: names or "-"),
    ]
    return Table("listeners", _("Listeners"), note, columns, rows)


def _listener_rows(scale: str, part: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    screening, p910 = part["screening"], part["p910"]
    names = {
        "bt500": "BT.500",
        "p913_correlation": "P.913",
        "p808_correlation": "P.808",
        "low_variance": _("variance"),
        "bs1534": "BS.1534",
    }
    for who, counts in screening["bt500"]["counts"].items():
        named = [names[rule] for rule, kind in RULES if who in screening.get(rule, {}).get(kind, ())]
        yield {
            "listener": who,
            "scale": scale,
            "n_votes": counts["n"],
            "bias": p910["bias"].get(who),
            "inconsistency": p910["inconsistency"].get(who),
            "r_p913": screening["p913_correlation"]["r"].get(who),
            "r_p808": screening["p808_correlation"]["r"].get(who),
            "variance": screening["low_variance"]["variance"].get(who),
            "rules": ", ".join(dict.fromkeys(named)),
        }


def _repeats(found: Found) -> Table:
    rows = [
        {"scale": scale, **row} | {f"ccc_{end}": limit for end, limit in _limits(row["ccc_ci95"])}
        for scale, part in by_scale(found)
        if (row := part["repeats"])["pairs"]
    ]
    columns = [
        text_column(_("Scale"), "scale"),
        number_column(_("Clips rated twice"), "pairs", count),
        number_column(_("Mean difference"), "mean_absolute_difference"),
        number_column(_("Lin's CCC"), "ccc"),
        range_column(_("95 % CI"), "ccc_low", "ccc_high"),
    ]
    note = _("The first two votes of a listener on the same clip, of all listeners together.")
    return Table("repeats", _("Self-consistency"), note, columns, rows)


def _factors(found: Found) -> Table:
    rows = [
        {"factor": factor, "level": level or "-", "condition": condition, "scale": scale, **row}
        for scale, part in by_scale(found)
        for factor, levels in part["factors"].items()
        for level, conditions in levels.items()
        for condition, row in conditions.items()
    ]
    columns = [
        text_column(_("Factor"), "factor"),
        text_column(_("Level"), "level"),
        text_column(_("Condition"), "condition"),
        text_column(_("Scale"), "scale"),
        number_column(_("Votes"), "n", count),
        number_column(_("Mean"), "mean"),
        number_column("SD", "sd"),
    ]
    return Table("factors", _("By factor"), _("Mean of all votes of a level."), columns, rows)


def items(found: Found) -> Table:
    """Every item under every condition, with its quality by P.910."""
    rows = []
    for scale, part in by_scale(found):
        for key, row in part["items"].items():
            item, _between, condition = key.rpartition("|")
            quality = part["p910"]["quality"].get(key, {})
            rows.append(
                {"item": item, "condition": condition, "scale": scale, **row, "quality": quality.get("estimate")}
                | {f"quality_{end}": limit for end, limit in _limits(quality.get("ci95"))}
            )
    columns = [
        text_column(_("Item"), "item"),
        text_column(_("Condition"), "condition"),
        text_column(_("Scale"), "scale"),
        number_column(_("Votes"), "n", count),
        number_column(_("Mean"), "mean"),
        number_column("SD", "sd"),
        number_column(_("Bias allowed for"), "quality"),
        range_column(_("95 % CI"), "quality_low", "quality_high"),
    ]
    note = _("Mean of all votes on a clip, and its quality by P.910, with the bias of listeners allowed for.")
    return Table("items", _("By item"), note, columns, rows, rows_a_page=ITEMS_SHOWN)


def _metrics(found: Found) -> Iterator[dict[str, Any]]:
    """Tables of each scale, per file and per condition."""
    for scale, part in by_scale(found):
        for level, compared in part.get("metrics", {}).items():
            told = {**compared, "level": level}
            made = (metrics.correlations(told), metrics.errors(told), metrics.pairs(told))
            title = f"{scale}, {metrics.level_names()[level]}"
            named = f"-{slugify(scale) or 'scale'}-{level}"
            yield {
                "title": title,
                "tables": [replace(table, id=f"{table.id}{named}") for table in made if table.rows],
            }


def figure_files(drawing: str) -> dict[str, bytes]:
    """The figure by its ending; PNG and PDF where the server can draw them."""
    others = PICTURE_FORMATS.items() if can_draw() else ()
    return {"svg": drawing.encode()} | {ending: form.write(drawing) for ending, form in others}


def figure_links(files: Mapping[str, bytes]) -> list[dict[str, str]]:
    """Addresses that hold the files themselves, because nothing is kept on the server."""
    types = {"svg": SVG} | {ending: form.content_type for ending, form in PICTURE_FORMATS.items()}
    return [
        {"title": ending.upper(), "name": f"means.{ending}", "href": f"data:{types[ending]};base64,{_coded(content)}"}
        for ending, content in files.items()
    ]


def _coded(content: bytes) -> str:
    return b64encode(content).decode()


def whole_archive(archive: bytes, shown: Mapping[str, Any], figures: Mapping[str, bytes]) -> str:
    """The zip of the command with the tables of the page in every format and the figure, in base64."""
    made = io.BytesIO(archive)
    with zipfile.ZipFile(made, "a", zipfile.ZIP_DEFLATED) as grown:
        for ending, content in figures.items():
            grown.writestr(f"figures/means.{ending}", content)
        for table in tables_in(shown):
            for ending, form in TABLE_FORMATS.items():
                if ending == "csv" or len(table.rows) <= MOST_WRITTEN:
                    pieces = (each if isinstance(each, bytes) else each.encode() for each in form.write(table))
                    grown.writestr(f"tables/{table.id}.{ending}", b"".join(pieces))
    return _coded(made.getvalue())
