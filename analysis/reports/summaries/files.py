"""What can be taken away of a study of summaries: every pick, the input of the command, and networks as figures."""

import json
from collections.abc import Iterator
from typing import Any

from analysis.exports import csv_lines
from analysis.methods.summaries.study import maker_name
from analysis.reports.base import Asked, Pieces, Result
from analysis.reports.summaries.choices import NO_VERSION, SummaryChoices, shown_network
from analysis.reports.summaries.network_figure import draw
from rating.models import Experiment

PICKS = ("subject", "item", "position", "word", "picked")
EMPTY = '<svg xmlns="http://www.w3.org/2000/svg"/>'


def picks(experiment: Experiment, result: Result, asked: Asked) -> Pieces:
    """One row a maker, utterance and position: whether the word there was kept."""
    return csv_lines(_picked(result), columns=PICKS)


def evaluation(experiment: Experiment, result: Result, asked: Asked) -> Pieces:
    """The study as `manage.py evaluate_summaries` reads it; without versions while a reader may not see them."""
    table = result["table"]
    manual: dict[str, dict[str, list[int]]] = {}
    for row in table.get("picks", []):
        manual.setdefault(row["item"], {})[maker_name(row["maker"])] = row["picked"]
    versions: dict[str, list[dict[str, Any]]] = {}
    for row in table.get("versions", []):
        versions.setdefault(row["item"], []).append(row)
    authors = {row["condition"]: maker_name(row["maker"]) for row in table.get("authors", [])}
    utterances = [
        _utterance(row, manual[row["item"]], versions.get(row["item"], []), authors)
        for row in table.get("utterances", [])
        if row["item"] in manual
    ]
    yield json.dumps({"utterances": utterances}, ensure_ascii=False, indent=1)


def network(experiment: Experiment, result: Result, asked: Asked) -> Pieces:
    """The network that the page shows, with the same version."""
    shown = shown_network(result["table"], SummaryChoices(asked, result["table"]))
    yield str(draw(shown)) if shown else EMPTY


def networks(result: Result) -> Iterator[tuple[str, Pieces]]:
    """Every utterance's network, numbered as on the page."""
    rows = result["table"].get("utterances", [])
    for number, row in enumerate(rows, start=1):
        asked = {"utterance": row["item"], "version": NO_VERSION}
        shown = shown_network(result["table"], SummaryChoices(asked, result["table"]))
        if shown:
            yield f"results/network-{number}.svg", [str(draw(shown))]


def _picked(result: Result) -> Iterator[dict[str, Any]]:
    tokens = {row["item"]: row["tokens"] for row in result["table"].get("utterances", [])}
    for row in result["table"].get("picks", []):
        kept = set(row["picked"])
        for position, word in enumerate(tokens.get(row["item"], ()), start=1):
            yield {
                "subject": f"subject_{row['maker']}",
                "item": row["item"],
                "position": position,
                "word": word,
                "picked": position in kept,
            }


def _utterance(
    row: dict[str, Any], manual: dict[str, list[int]], versions: list[dict[str, Any]], authors: dict[str, str]
) -> dict[str, Any]:
    judged = {version["condition"]: version["judged"] for version in versions if version["judged"] is not None}
    # A condition may be called like a maker, and is not one: nobody is its author unless that was found.
    author = {version["condition"]: authors.get(version["condition"]) for version in versions}
    return {
        "tokens": row["tokens"],
        "manual": manual,
        "candidates": {version["condition"]: version["words"] for version in versions},
        "author": {name: maker if maker in manual else None for name, maker in author.items()},
        "judged": judged,
    }
