"""Downloads, each noted in the audit log; conditions are letters until the experiment is unblinded."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext_noop as _

from analysis import datasets, p808_export
from analysis.exports import csv_lines, meanings_for, table_columns, table_rows, vote_row, with_rows
from analysis.registry import get_report
from analysis.reports.base import ReportFile, file_unknown
from analysis.reports.tables import Table
from analysis.services.dataset.tables import DatasetTables
from analysis.services.results import read_result, stale_results
from core.errors import AppError
from core.models import AuditEntry, User
from core.services import audit
from core.stored_json import number_in, object_in
from listening.models import SetupStep
from rating.models import Experiment
from rating.registry import get_protocol
from rating.services.experiments import condition_names
from rating.services.verification import heads

EXPORTED = "experiment.exported"


def export_votes(*, experiment: Experiment, actor: User, simulated: bool) -> Iterator[str]:
    """Return the experiment's marks as lines of CSV, one a mark."""
    lines = filled(vote_lines(DatasetTables(experiment, simulated=simulated)))
    note_download(experiment=experiment, actor=actor, simulated=simulated, what="votes")
    return lines


def export_wide(*, experiment: Experiment, actor: User, simulated: bool, scale: str) -> Iterator[str]:
    """Return one scale as a matrix: a row a clip, a column a listener; excluded marks are empty as if not given."""
    key = known_scale(experiment, scale)
    dataset = datasets.read_dataset(experiment, simulated=simulated)
    made = p808_export.clips(datasets.not_excluded(dataset.scores), scale=key, names=condition_names(experiment))
    lines = filled(csv_lines(p808_export.wide_rows(made), columns=p808_export.wide_columns(len(dataset.ballots))))
    note_download(experiment=experiment, actor=actor, simulated=simulated, what=f"wide {key}")
    return lines


def export_clips(*, experiment: Experiment, actor: User, simulated: bool, scale: str) -> Iterator[str]:
    """Return one scale as the P.808 toolkit's votes_per_clip; as there, of the votes that were not excluded."""
    key = known_scale(experiment, scale)
    scores = datasets.not_excluded(datasets.read_scores(experiment, simulated=simulated))
    made = p808_export.clips(scores, scale=key, names=condition_names(experiment))
    suffix = p808_export.suffix_of(scales_of(experiment), key)
    lines = filled(csv_lines(p808_export.clip_rows(made, suffix), columns=p808_export.clip_columns(made, suffix)))
    note_download(experiment=experiment, actor=actor, simulated=simulated, what=f"clips {key}")
    return lines


def export_conditions(*, experiment: Experiment, actor: User, simulated: bool) -> Iterator[str]:
    """Return every scale as the P.808 toolkit's votes_per_cond_all-scales, of the votes that were not excluded."""
    scores = datasets.not_excluded(datasets.read_scores(experiment, simulated=simulated))
    names = condition_names(experiment)
    scales = scales_of(experiment)
    by_scale = {key: p808_export.clips(scores, scale=key, names=names) for key in scales}
    layout = p808_export.layout_of(experiment.protocol)
    rows = p808_export.condition_rows(by_scale, layout)
    lines = filled(csv_lines(rows, columns=p808_export.condition_columns(scales, layout)))
    note_download(experiment=experiment, actor=actor, simulated=simulated, what="conditions")
    return lines


def export_tables(*, experiment: Experiment, actor: User, simulated: bool, method: str) -> Iterator[str]:
    """Return every table of a result, with the figures of the page to their last digit."""
    result = read_result(experiment=experiment, slug=method, simulated=simulated, long=True)
    _reject_uncomputed(experiment, result)
    lines = filled(csv_lines(table_rows(result["table"]), columns=table_columns(result["table"])))
    note_download(experiment=experiment, actor=actor, simulated=simulated, what=f"tables of {method}")
    return lines


def export_report_file(
    *, experiment: Experiment, actor: User, simulated: bool, method: str, name: str, asked: Mapping[str, str]
) -> tuple[ReportFile, Iterable[str | bytes]]:
    """Return a file of a method's report and its content."""
    result = _read(experiment, method, asked, simulated=simulated)
    file = get_report(method).file(name)
    if file is None:
        raise file_unknown(name, known=get_report(method).files)
    if not file.of_votes:
        _reject_uncomputed(experiment, result)
    pieces = file.make(experiment, result, asked)
    if file.content_type.startswith("text/csv"):
        pieces = filled(pieces)
    note_download(experiment=experiment, actor=actor, simulated=simulated, what=f"{name} of {method}")
    return file, pieces


def _read(experiment: Experiment, method: str, asked: Mapping[str, str], *, simulated: bool) -> dict[str, Any]:
    adjust = asked.get("adjust", "")
    return read_result(experiment=experiment, slug=method, simulated=simulated, long=True, adjust=adjust)


def result_tables(
    *, experiment: Experiment, actor: User, simulated: bool, method: str, asked: Mapping[str, str]
) -> list[Table]:
    """Return every table of the page of results."""
    result = _read(experiment, method, asked, simulated=simulated)
    _reject_uncomputed(experiment, result)
    note_download(experiment=experiment, actor=actor, simulated=simulated, what=f"tables of {method}")
    return list(get_report(method).tables(experiment, result, asked).values())


def _reject_uncomputed(experiment: Experiment, result: Mapping[str, Any]) -> None:
    """A file without rows would look like a result."""
    if result["computed_at"] is None:
        wanted = (result["method"], result["simulated"])
        waits = any((slug, simulated) == wanted for _, slug, simulated in stale_results(str(experiment.pk)))
        if waits:
            raise AppError(
                "result.not_computed",
                409,
                _("These results have not been computed yet; they are being computed now. Try again in a minute."),
            )
        raise AppError(
            "result.no_answers", 409, _("There are no answers yet from which these results could be computed.")
        )


def filled(lines: Iterable[str | bytes]) -> Iterator[Any]:
    """The lines of a CSV file that has rows; a bare header would look like a file that was cut off."""
    found = with_rows(lines)
    if found is None:
        raise AppError("download.no_rows", 409, _("There is nothing to download yet: this table would have no rows."))
    return found


def vote_lines(tables: DatasetTables, *, columns: Iterable[str] = ()) -> Iterator[str]:
    """Return the marks as CSV, with these columns, or with all."""
    experiment = tables.experiment
    levels, protocol = Levels(experiment), get_protocol(experiment.protocol)
    rows = (
        vote_row(
            mark,
            experiment=experiment.slug,
            design_sha256=experiment.design_sha256,
            condition=tables.names[mark["condition"]],
            blind=tables.blind,
            level_db=levels.at(mark["ballot"], mark["received_at"]),
            columns=protocol.trial_columns,
        )
        | tables.history[mark["trial_id"], mark["slot"]]._asdict()
        | tables.factor_cells(mark["factors"], mark["condition_factors"])
        | {"elapsed_s": tables.since_start(mark["ballot"], mark["received_at"])}
        for mark in datasets.detailed_scores(experiment, simulated=tables.simulated)
    )
    return csv_lines(rows, columns=list(columns or vote_columns(tables)))


def vote_columns(tables: DatasetTables) -> dict[str, str]:
    """The columns of the marks with their meanings: those of every experiment, then one for each factor."""
    return meanings_for(get_protocol(tables.experiment.protocol)) | tables.factor_meanings


class Levels:
    """At which level a listener heard: the last one that was set before an answer, on whatever device."""

    def __init__(self, experiment: Experiment) -> None:
        self._set: dict[UUID, list[tuple[datetime, Any]]] = defaultdict(list)
        steps = SetupStep.objects.filter(visit__seat__panel__experiment=experiment, step=SetupStep.Step.LEVEL)
        rows = steps.order_by("created_at").values_list("visit__seat__ballot", "created_at", "outcome")
        for ballot, at, outcome in rows:
            self._set[ballot].append((at, number_in(object_in(outcome).get("level_db"))))

    def at(self, ballot: UUID, moment: datetime) -> float | None:
        steps = self._set.get(ballot, [])
        place = bisect_right(steps, moment, key=lambda step: step[0])
        return steps[place - 1][1] if place else None


def note_download(*, experiment: Experiment, actor: User | None, simulated: bool, what: str) -> str:
    """Write a download into the audit log; return a root of the log, which covers the votes that were there.

    It is that of the first download of the same votes, so that the same dataset twice is the same file.
    """
    target = f"experiment/{experiment.slug}"
    after = {"what": what, "blind": experiment.unblinded_at is None, "simulated": simulated}
    with transaction.atomic():
        after["heads"] = heads(experiment.ballots.filter(seat__completion__isnull=True).order_by("pk"))
        entry = audit.record(actor=actor, action=EXPORTED, target=target, after=after)
    earlier = AuditEntry.objects.filter(action=EXPORTED, target=target, pk__lt=entry.pk).order_by("pk")
    same = next((one for one in earlier.iterator() if one.after == after and _covers(one, experiment)), entry)
    return audit.root_of(same)


def _covers(entry: AuditEntry, experiment: Experiment) -> bool:
    """Whether every finished ballot was finished by then; the log has the end of its chain since that moment."""
    newest = experiment.ballots.aggregate(newest=Max("closed_at"))["newest"]
    return newest is None or newest <= entry.at


def scales_of(experiment: Experiment) -> list[str]:
    return [scale.key for scale in get_protocol(experiment.protocol).scales]


def known_scale(experiment: Experiment, scale: str) -> str:
    """The scale that was asked for, or the first one where none was."""
    scales = scales_of(experiment)
    if scale and scale not in scales:
        raise AppError(
            "result.unknown_scale",
            404,
            _("This experiment has no scale called '{scale}'. Known: {known}."),
            scale=scale[:40],
            known=", ".join(scales),
        )
    return scale or scales[0]
