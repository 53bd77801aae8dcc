"""Objective metrics of an experiment: upload and removal of their table, and figures beside the votes.

A table may be uploaded while the experiment is blind, but figures wait until it is unblinded: a person who
has the values of a file or a condition could tell by any figure made of them which letter is which.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from django.core.cache import cache
from django.db import transaction
from django.utils.translation import gettext_noop as _

from analysis.datasets import read_stimuli
from analysis.metrics.names import Clip, KnownNames, check_names
from analysis.metrics.points import LEVELS, numbers_of, points_of
from analysis.metrics.reading import read_metrics
from analysis.models import MetricTable
from analysis.registry import get_method, method_of
from analysis.reports.base import Pieces, ReportFile, file_unknown
from analysis.reports.metrics import MetricsReport
from analysis.services.exports import note_download
from analysis.services.results import read_result
from audio.sandbox.client import Limits
from core.errors import AppError
from core.models import User
from core.services import audit
from listening.panels.services.elsewhere import imported_paths
from rating.models import Experiment
from rating.services.experiments import locked
from stimuli.sandbox import run_sandboxed

WORK = "analysis.metrics.figures:compare_in_sandbox"
LIMITS = Limits(cpu_s=20, wall_s=40, result_bytes=16 * 2**20)
VERSION = 1  # of the figures; another one where they are computed in another way
KEPT_S = 600
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
    check_names(read, _known_names(experiment))
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


def _known_names(experiment: Experiment) -> KnownNames:
    clips = [Clip(each.item, each.condition) for each in read_stimuli(experiment).values()]
    return KnownNames(clips, imported_paths(experiment.collection))


def place_metrics(experiment: Experiment, table: MetricTable) -> Placement:
    """Values by clip or condition, as the collection is now."""
    matched = _known_names(experiment).match([row["name"] for row in table.rows], by=table.by)
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
    rows = {"file": result["table"].get("items", []), "condition": result["table"]["rows"]}
    levels = LEVELS if table.by == MetricTable.By.FILE else LEVELS[1:]
    parts = [
        part
        for level in levels
        for scale in result["scales"]
        if (part := points_of(level, scale, rows, values, table.metrics))["points"]
    ]
    if not parts:
        return []
    return [{**part, **found} for part, found in zip(parts, _computed(parts), strict=True)]


def _computed(parts: Rows) -> Rows:
    """Figures of the same points are kept for the downloads that follow on a page."""
    request = json.dumps([numbers_of(part) for part in parts]).encode()
    key = f"analysis.metrics.{VERSION}.{hashlib.sha256(request).hexdigest()}"
    found: Rows | None = cache.get(key)
    if found is None:
        found = run_sandboxed(WORK, blobs={"request": request}, limits=LIMITS).facts["parts"]
        cache.set(key, found, timeout=KEPT_S)
    return found


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
