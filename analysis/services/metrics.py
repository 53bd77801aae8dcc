"""Objective metrics of an experiment: upload and removal of their table, and figures beside the votes.

A table may be uploaded while the experiment is blind, but figures wait until it is unblinded: whoever has the values
of a file or a condition could tell by any figure made of them which letter is which.
"""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from django.db import transaction
from django.utils.translation import gettext_noop as _

from analysis.metrics.matching import Clip, match_names
from analysis.metrics.reading import Metrics, read_metrics, reject_lines
from analysis.models import MetricTable
from analysis.registry import get_method, method_of
from analysis.reports.base import Pieces, ReportFile, file_unknown
from analysis.reports.metrics import MetricsReport
from analysis.services.exports import note_download
from analysis.services.results import read_result
from audio.sandbox.client import Limits
from core.errors import AppError
from core.i18n import LazyMessage
from core.models import User
from core.services import audit
from rating.models import Experiment
from rating.services.experiments import locked
from stimuli.sandbox import run_sandboxed

WORK = "analysis.metrics.figures:compare_in_sandbox"
LIMITS = Limits(cpu_s=20, wall_s=40, result_bytes=16 * 2**20)
LEVELS = {"file": "items", "condition": "rows"}  # each with the table of results that has its mean votes
Rows = list[dict[str, Any]]


class Placement(NamedTuple):
    """Where the values of a table belong, and the names that fit no clip or condition."""

    values: dict[Clip, Mapping[str, float]]
    unmatched: list[str]


def offers_metrics(experiment: Experiment) -> bool:
    """Whether the protocol's answers are ratings of conditions, which metrics can be compared with."""
    return bool(getattr(get_method(method_of(experiment.protocol)), "rates_conditions", False))


def check_offered(experiment: Experiment) -> None:
    if not offers_metrics(experiment):
        raise AppError(
            "metrics.not_offered",
            409,
            _("Objective metrics are compared with ratings such as mean opinion scores. This protocol has none."),
        )


def check_unblinded(experiment: Experiment) -> None:
    if experiment.unblinded_at is None:
        raise AppError(
            "metrics.blind",
            409,
            _("Figures of metrics wait until the experiment is unblinded: they would tell which condition is which."),
        )


def metric_table_of(experiment: Experiment) -> MetricTable | None:
    return MetricTable.objects.filter(experiment=experiment).select_related("uploaded_by").first()


def keep_metrics(*, experiment: Experiment, actor: User, content: bytes, name: str) -> MetricTable:
    """Keep a table of metrics in the place of an earlier one, once every line of it was understood."""
    check_offered(experiment)
    read = read_metrics(content, name=name)
    _check_names(experiment, read)
    with transaction.atomic():
        experiment = locked(experiment)
        before = metric_table_of(experiment)
        if before:
            before.delete()
        made = MetricTable.objects.create(
            experiment=experiment,
            uploaded_by=actor,
            after_unblinding=experiment.unblinded_at is not None,
            file_name=name[:200],
            sha256=hashlib.sha256(content).hexdigest(),
            by=read.by,
            metrics=list(read.metrics),
            rows=[{"name": row.name, "values": dict(row.values)} for row in read.rows],
        )
        audit.record(
            actor=actor,
            action="metrics.uploaded",
            target=f"experiment/{experiment.slug}",
            before=_told(before) if before else None,
            after=_told(made),
        )
    return made


@transaction.atomic
def remove_metrics(*, experiment: Experiment, actor: User) -> bool:
    """Remove the table; whether there was one."""
    table = metric_table_of(locked(experiment))
    if table is None:
        return False
    table.delete()
    audit.record(actor=actor, action="metrics.removed", target=f"experiment/{experiment.slug}", before=_told(table))
    return True


def _told(table: MetricTable) -> dict[str, Any]:
    return {"file": table.file_name, "sha256": table.sha256, "metrics": table.metrics, "rows": len(table.rows)}


def _check_names(experiment: Experiment, read: Metrics) -> None:
    """Some name must fit, and no two the same clip with a value of the same metric."""
    matched = match_names(experiment, [row.name for row in read.rows], by=read.by)
    if not matched.clips:
        raise AppError(
            "metrics.nothing_matches",
            422,
            _("No name in '{file}' fits: '{name}' in line {line}, for example, is no {by} of this experiment."),
            file=read.name,
            name=read.rows[0].name[:80],
            line=str(read.rows[0].line),
            by=LazyMessage("condition") if read.by == "condition" else LazyMessage("clip"),
        )
    problems, earlier = [], dict[tuple[Clip, str], Any]()
    for row in read.rows:
        clip = matched.clips.get(row.name)
        twice = next((earlier[clip, metric] for metric in row.values if clip and (clip, metric) in earlier), None)
        if twice:
            problems.append(
                LazyMessage(
                    "line {line}: '{name}' is the same clip as '{other}' in line {earlier}; keep one of them",
                    line=str(row.line),
                    earlier=str(twice.line),
                    name=row.name[:80],
                    other=twice.name[:80],
                )
            )
        earlier |= {(clip, metric): row for metric in row.values if clip}
    reject_lines(read.name, problems)


def place_metrics(experiment: Experiment, table: MetricTable) -> Placement:
    """Values by clip or condition, as the collection is now."""
    matched = match_names(experiment, [row["name"] for row in table.rows], by=table.by)
    values: dict[Clip, Mapping[str, float]] = {}
    for row in table.rows:
        if clip := matched.clips.get(row["name"]):
            values[clip] = {**row["values"], **values.get(clip, {})}
    return Placement(values, matched.unmatched)


def compare_with_votes(experiment: Experiment, table: MetricTable, *, simulated: bool) -> Rows:
    """For each scale per file, if the table has files, and per condition: points, and all figures made of them."""
    check_unblinded(experiment)
    method = method_of(experiment.protocol)
    result = read_result(experiment=experiment, slug=method, simulated=simulated, long=True)
    values = place_metrics(experiment, table).values
    levels = list(LEVELS) if table.by == MetricTable.By.FILE else [MetricTable.By.CONDITION.value]
    parts = [
        part
        for level in levels
        for scale in result["scales"]
        if (part := _part(level, scale, result["table"], values, table.metrics))["points"]
    ]
    if not parts:
        return []
    computed = run_sandboxed(
        WORK, blobs={"request": json.dumps([_numbers(part) for part in parts]).encode()}, limits=LIMITS
    )
    return [{**part, **found} for part, found in zip(parts, computed.facts["parts"], strict=True)]


def _part(
    level: str, scale: Mapping[str, Any], tables: Mapping[str, Any], values: Mapping[Clip, Any], metrics: list[str]
) -> dict[str, Any]:
    """The mean votes of one scale with the values of every metric; a condition's values are means over its files."""
    rated: dict[str, list[Clip]] = defaultdict(list)
    for row in tables.get("items", []):
        if row["scale"] == scale["key"]:
            rated[row["condition"]].append(Clip(row["item"], row["condition"]))
    points, left_out = [], []
    for row in tables.get(LEVELS[level], []):
        if row["scale"] != scale["key"] or row["mos"] is None:
            continue
        clip = Clip(row["item"] if level == "file" else "", row["condition"])
        own = dict(values.get(clip, {}))
        if level == "condition" and not own:
            own, missing = _means(values, rated[row["condition"]], metrics)
            left_out += [{"condition": row["condition"], **each} for each in missing]
        columns = ("condition", "mos", "ci_low", "ci_high", "n_votes", "n_listeners")
        points.append({"item": clip.item} | {name: row[name] for name in columns} | {"values": own})
    return {
        "level": level,
        "scale": scale["key"],
        "ends": scale,
        "metrics": metrics,
        "points": points,
        "left_out": left_out,
    }


def _means(values: Mapping[Clip, Any], clips: Iterable[Clip], metrics: list[str]) -> tuple[dict[str, float], Rows]:
    """Means over the files of a condition, of metrics that every rated file has; and the others, with how many have it.

    A mean over other files than the votes' would not be about the same thing.
    """
    found, missing, of = {}, [], list(clips)
    for metric in metrics:
        known = [values[clip][metric] for clip in of if metric in values.get(clip, {})]
        if known and len(known) == len(of):
            found[metric] = sum(known) / len(known)
        else:
            missing.append({"metric": metric, "n": len(known), "of": len(of)})
    return found, missing


def _numbers(part: Mapping[str, Any]) -> dict[str, Any]:
    """What the figures are computed from."""
    points = part["points"]
    known = [(point["ci_low"], point["ci_high"]) for point in points]
    return {
        "level": part["level"],
        "scale": part["scale"],
        "low": part["ends"]["low"],
        "high": part["ends"]["high"],
        "mean": [point["mos"] for point in points],
        "half_width": [None if low is None else (high - low) / 2 for low, high in known],
        "values": {metric: [point["values"].get(metric) for point in points] for metric in part["metrics"]},
    }


def export_metrics_file(
    *, experiment: Experiment, actor: User, simulated: bool, name: str, asked: Mapping[str, str]
) -> tuple[ReportFile, Pieces]:
    """Return a table or figure of the page of metrics, and its content."""
    check_offered(experiment)
    check_unblinded(experiment)
    table, file = metric_table_of(experiment), MetricsReport().file(name)
    if file is None:
        raise file_unknown(name, known=MetricsReport.files)
    parts = compare_with_votes(experiment, table, simulated=simulated) if table else []
    if not any(part["curves"] for part in parts):
        raise AppError(
            "metrics.no_figures",
            409,
            _("There are no figures yet: they need a table of metrics, and votes on clips that it has values of."),
        )
    pieces = file.make(experiment, {"parts": parts}, asked)
    note_download(experiment=experiment, actor=actor, simulated=simulated, what=f"{name} of metrics")
    return file, pieces
