"""The dataset: everything that was answered and computed, with what it takes to read it again, as one zip."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from analysis import datasets
from analysis.archive_texts import readme
from analysis.columns import meanings_for
from analysis.exports import csv_lines, subject_id
from analysis.flat_tables import table_columns, table_rows
from analysis.registry import get_report, method_of
from analysis.services.exports import note_download, vote_lines
from analysis.services.results import read_result
from analysis.services.zipping import zipped
from core.models import User
from listening.models import Design
from rating.models import Experiment
from rating.registry import get_protocol
from rating.services.experiments import condition_names

PARTICIPANTS = ("subject_id", "subject_column", "panel", "seat", "row_type", "votes", "pages", "of_pages", "complete")
STIMULI = ("item", "condition", "condition_role", "factors")

File = tuple[str, Iterable[str]]


def export_dataset(*, experiment: Experiment, actor: User, simulated: bool) -> Iterator[bytes]:
    """Return the dataset as pieces of a zip. Nothing in it names a condition before the experiment is unblinded."""
    root = note_download(experiment=experiment, actor=actor, simulated=simulated, what="dataset")
    table = datasets.table(experiment, simulated=simulated)
    slug = method_of(experiment.protocol)
    results = {slug: read_result(experiment=experiment, slug=slug, simulated=simulated, long=True)}
    files = [
        ("README.md", [readme(experiment, results=list(results.values()), votes=len(table.records), root=root)]),
        ("dataset_description.json", [_json(_description(experiment, simulated=simulated) | {"root": root})]),
        ("design.json", [_json(_design(experiment))]),
        *_data(experiment, table, simulated=simulated),
        *_results(experiment, results, simulated=simulated),
    ]
    return zipped(experiment.slug, files)


def _data(experiment: Experiment, table: datasets.Table, *, simulated: bool) -> list[File]:
    study = re.sub(r"[^A-Za-z0-9]", "", experiment.slug)
    name = f"data/study-{study}_description-{{}}_data".format
    # Psych-DS: a sidecar beside the data says what its columns are.
    return [
        (f"{name('responses')}.csv", vote_lines(experiment, simulated=simulated)),
        (f"{name('responses')}.json", [_json({"variableMeasured": meanings_for(get_protocol(experiment.protocol))})]),
        (
            f"{name('participants')}.csv",
            csv_lines(_participants(experiment, table, simulated=simulated), columns=PARTICIPANTS),
        ),
        (f"{name('stimuli')}.csv", csv_lines(_stimuli(experiment, table), columns=STIMULI)),
    ]


def _participants(experiment: Experiment, table: datasets.Table, *, simulated: bool) -> Iterator[dict[str, Any]]:
    progress = datasets.progress(experiment, table.sittings, simulated=simulated)
    for each, sitting in zip(progress, table.sittings, strict=True):
        yield {
            "subject_id": subject_id(sitting.participant, sitting.ballot) if sitting.vote_count else "",
            "subject_column": f"subject_{each.listener}",
            "panel": sitting.panel,
            "seat": sitting.seat,
            "row_type": sitting.kind,
            "votes": sitting.vote_count,
            "pages": each.pages,
            "of_pages": each.of_pages,
            "complete": each.complete,
        }


def _stimuli(experiment: Experiment, table: datasets.Table) -> list[dict[str, Any]]:
    names, blind = condition_names(experiment), experiment.unblinded_at is None
    rows = [
        {
            "item": heard.item,
            "condition": names[heard.condition],
            "condition_role": "" if blind else heard.role,
            "factors": heard.factors,
        }
        for heard in table.codebook.stimuli
    ]
    return sorted(rows, key=lambda row: (row["item"], len(row["condition"]), row["condition"]))


def _results(experiment: Experiment, results: dict[str, dict[str, Any]], *, simulated: bool) -> Iterator[File]:
    """Every table of every method that was computed, and what its report adds."""
    for slug, result in results.items():
        tables, reader, computed = result["table"], get_report(slug), result["computed_at"] is not None
        if computed:
            yield f"results/{slug}.csv", csv_lines(table_rows(tables), columns=table_columns(tables))
        for name, file in reader.files.items():
            if computed or file.of_votes:
                yield f"results/{name}", file.make(experiment, result, {})
        yield from reader.dataset(experiment, result, simulated=simulated)


def _description(experiment: Experiment, *, simulated: bool) -> dict[str, Any]:
    return {
        "name": experiment.title,
        "description": f"Answers to the listening test {experiment.slug}, one row a mark.",
        "identifier": experiment.slug,
        "schemaVersion": "Psych-DS 0.4.0",
        "variableMeasured": list(meanings_for(get_protocol(experiment.protocol))),
        "conditions": "letters" if experiment.unblinded_at is None else "names",
        "simulated_listeners": simulated,
    }


def _design(experiment: Experiment) -> dict[str, Any]:
    """What was planned. Seeds and settings would give the letters or the names of conditions away."""
    protocol = get_protocol(experiment.protocol)
    design = Design.objects.filter(experiment=experiment).first()
    told: dict[str, Any] = {
        "protocol": protocol.slug,
        "protocol_version": protocol.version,
        "label_set": experiment.label_set,
        "label_set_sha256": protocol.label_set(experiment.label_set).sha256,
        "design_sha256": experiment.design_sha256,
        "layout_sha256": experiment.layout_sha256,
        "panels": {str(panel.number): panel.seats.count() for panel in experiment.panels.all()},
        "preset": design.preset if design else None,
        "subsets": design.subsets if design else None,
    }
    if experiment.unblinded_at is None:
        return told
    open_only = {"seed": experiment.seed, "options": experiment.options}
    return told | open_only | ({"settings": design.settings, "report": design.report} if design else {})


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False, sort_keys=False) + "\n"
