"""Report of an experiment: methods, design, listeners, figures, tables and versions, on one page or in one file."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.conf import settings
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from analysis.registry import get_report, method_of, methods
from analysis.reports.base import Report, Result
from analysis.reports.pictures import SVG
from analysis.services.exports import note_download
from analysis.services.results import read_result
from core.i18n import translate_messages
from core.models import User
from listening.models import Design
from listening.panels.services import panels
from rating.label_sets import labels_of
from rating.models import Experiment
from rating.registry import get_protocol
from rating.services.texts import consent_counts, published_texts

MOST_ROWS = 200  # of one table; the dataset has all of them


def experiment_report(*, experiment: Experiment, simulated: bool, now: datetime) -> dict[str, Any]:
    """Everything that the report tells. Conditions are letters until the experiment is unblinded."""
    method = method_of(experiment.protocol)
    result, reader = read_result(experiment=experiment, slug=method, simulated=simulated, long=True), get_report(method)
    computed = result["computed_at"] is not None
    shown = reader.context(experiment, result, {}) if computed else {}
    design = Design.objects.filter(experiment=experiment).first()
    return {
        "now": now,
        "simulated": simulated,
        "result": result,
        "methods_text": shown.get("methods_text", ""),
        "notes": shown.get("warnings", []),
        "design": translate_messages(design.report, _)["sentence"] if design else "",
        "panels": panels.overview(experiment=experiment, now=now),
        "figures": list(_figures(reader, experiment, result)) if computed else [],
        "tables": list(_tables(reader, experiment, result)) if computed else [],
        "texts": _texts(experiment),
        "versions": list(_versions(experiment, result, design)),
    }


def export_report(*, experiment: Experiment, actor: User, simulated: bool, now: datetime) -> str:
    """The report as one HTML file that needs no other; the download is noted in the audit log."""
    told = experiment_report(experiment=experiment, simulated=simulated, now=now)
    note_download(experiment=experiment, actor=actor, simulated=simulated, what="report")
    return render_to_string("analysis/report_file.html", {"experiment": experiment, "told": told})


def _figures(reader: Report, experiment: Experiment, result: Result) -> Iterator[dict[str, Any]]:
    """Each figure as it stands without any choice; our own drawings escape what they hold."""
    for name, file in reader.files.items():
        if file.content_type == SVG:
            drawing = "".join(str(piece) for piece in file.make(experiment, result, {}))
            title = str(file.title).replace(" (SVG)", "")
            yield {"name": name, "title": title, "drawing": SafeString(drawing)}


def _tables(reader: Report, experiment: Experiment, result: Result) -> Iterator[dict[str, Any]]:
    for table in reader.tables(experiment, result, {}).values():
        lines = [table.line(row) for row in table.rows[:MOST_ROWS]]
        yield {"table": table, "lines": lines, "more": max(0, len(table.rows) - MOST_ROWS)}


def _texts(experiment: Experiment) -> list[dict[str, Any]]:
    """Every version of the texts that listeners could read, and how many agreed to it."""
    counts = consent_counts(experiment)
    return [{"version": version, "consents": counts.get(version.pk, 0)} for version in published_texts(experiment)]


def _versions(experiment: Experiment, result: Result, design: Design | None) -> Iterator[tuple[str, str]]:
    """What somebody needs to do the same again."""
    protocol = get_protocol(experiment.protocol)
    labels = labels_of(experiment)
    yield _("Software"), f"Earmark {settings.SOFTWARE_VERSION}"
    yield _("Protocol"), f"{protocol.title}, {protocol.slug} {protocol.version}"
    yield _("Labels"), f"{labels.id} ({labels.language}, {labels.status.value}), SHA-256 {labels.sha256}"
    yield _("Language of the pages"), experiment.language
    yield _("Collection"), f"{experiment.collection.title}, {_('version')} {experiment.collection.version}"
    yield _("Method"), f"{methods()[result['method']].title}, {result['method']} {result['version']}"
    yield _("Design of the experiment, SHA-256"), experiment.design_sha256 or "-"
    yield _("Layout of the seats, SHA-256"), design.sha256 if design else "-"
