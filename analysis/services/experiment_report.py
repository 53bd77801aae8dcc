"""Report of an experiment: methods, design, listeners, figures, tables and versions, on one page or in one file."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.conf import settings
from django.template.loader import render_to_string
from django.utils.formats import date_format
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from analysis.datasets import counted_ballots
from analysis.exports import subject_id
from analysis.registry import get_report, method_of, methods
from analysis.reports.base import Asked, Report, Result
from analysis.reports.exclusions import exclusion_sentences, exclusion_tables, ledger_table
from analysis.reports.pictures import SVG
from analysis.reports.plan import plan_facts, plan_outcomes, plan_sha256, registered_adjustment, registered_choices
from analysis.reports.tables import Table, count, number_column, text_column
from analysis.services import questionnaires
from analysis.services.exports import note_download
from analysis.services.results import read_result
from core.i18n import translate_messages
from core.models import User
from listening.models import Design
from listening.panels.services import panels
from listening.panels.services.designs import current_report
from listening.panels.services.exclusions import ledger_of
from rating.label_sets import labels_of
from rating.models import Experiment
from rating.registry import get_protocol
from rating.services.attention import outcomes
from rating.services.texts import consent_counts, published_texts

MOST_ROWS = 200  # of one table; the dataset has all of them


def experiment_report(*, experiment: Experiment, simulated: bool, now: datetime) -> dict[str, Any]:
    """Everything that the report tells. Conditions are letters until the experiment is unblinded."""
    method = method_of(experiment.protocol)
    adjust, reader = registered_adjustment(experiment.analysis_plan), get_report(method)
    result = read_result(experiment=experiment, slug=method, simulated=simulated, long=True, adjust=adjust)
    computed = result["computed_at"] is not None
    asked = registered_choices(experiment.analysis_plan, blind=result["blind"])
    shown = reader.context(experiment, result, asked) if computed else {}
    design = Design.objects.filter(experiment=experiment).first()
    return {
        "now": now,
        "simulated": simulated,
        "result": result,
        "methods_text": shown.get("methods_text", ""),
        "notes": shown.get("warnings", []),
        "design": translate_messages(current_report(design), _)["sentence"] if design else "",
        "extensions": _extensions(experiment),
        "panels": panels.overview(experiment=experiment, now=now),
        "excluded": exclusion_sentences(result["table"]),
        "exclusions": _exclusions(experiment, result, asked),
        "plan": plan_facts(experiment.analysis_plan),
        "plan_sha256": plan_sha256(experiment.analysis_plan),
        "plan_outcomes": plan_outcomes(experiment.analysis_plan, result["table"], blind=result["blind"]),
        "attention": _attention(experiment, simulated=simulated),
        "questionnaire": questionnaires.summary(experiment, simulated=simulated),
        "figures": list(_figures(reader, experiment, result, asked)) if computed else [],
        "tables": list(_tables(reader, experiment, result, asked)) if computed else [],
        "texts": _texts(experiment),
        "versions": list(_versions(experiment, result)),
    }


def export_report(*, experiment: Experiment, actor: User, simulated: bool, now: datetime) -> str:
    """The report as one HTML file that needs no other; the download is noted in the audit log."""
    html = report_file(experiment=experiment, simulated=simulated, now=now)
    note_download(experiment=experiment, actor=actor, simulated=simulated, what="report")
    return html


def report_file(*, experiment: Experiment, simulated: bool, now: datetime) -> str:
    """The report as HTML that needs no other file, in the active language."""
    told = experiment_report(experiment=experiment, simulated=simulated, now=now)
    return render_to_string("analysis/report_file.html", {"experiment": experiment, "told": told, "date": now})


def _figures(reader: Report, experiment: Experiment, result: Result, asked: Asked) -> Iterator[dict[str, Any]]:
    """Each figure with the registered choices and no other; our own drawings escape what they hold."""
    for name, file in reader.files.items():
        if file.content_type == SVG:
            drawing = "".join(str(piece) for piece in file.make(experiment, result, asked))
            title = str(file.title).replace(" (SVG)", "")
            yield {"name": name, "title": title, "drawing": SafeString(drawing)}


def _tables(reader: Report, experiment: Experiment, result: Result, asked: Asked) -> Iterator[dict[str, Any]]:
    """The tables of results; what exclusions changed stands with the exclusions."""
    apart = {table.id for table in exclusion_tables(result["table"])}
    for table in reader.tables(experiment, result, asked).values():
        if table.id not in apart:
            yield _shown(table)


def _shown(table: Table) -> dict[str, Any]:
    lines = [table.line(row) for row in table.rows[:MOST_ROWS]]
    return {"table": table, "lines": lines, "more": max(0, len(table.rows) - MOST_ROWS)}


def _exclusions(experiment: Experiment, result: Result, asked: Asked) -> list[dict[str, Any]]:
    """The ledger, lifted entries included, and what the exclusions changed."""
    tables = [ledger_table(ledger_of(experiment)), *exclusion_tables(result["table"], asked.get("against", ""))]
    return [_shown(table) for table in tables if table.rows]


def _extensions(experiment: Experiment) -> dict[str, Any] | None:
    rows = [
        {
            "date": date_format(one.created_at),
            "listeners": f"{one.listeners_before} → {one.listeners}",
            "panels": f"{one.panels_before} → {one.panels}",
            "reason": one.reason or "-",
            "sha256": one.sha256[:12] or "-",
        }
        for one in experiment.extensions.all()
    ]
    columns = [
        text_column(_("Added"), "date"),
        text_column(_("Listeners"), "listeners"),
        text_column(_("Panels"), "panels"),
        text_column(_("Reason"), "reason"),
        text_column(_("SHA-256"), "sha256"),
    ]
    note = _("Seats that were added after the first ones, which stayed as they were.")
    return _shown(Table("extensions", _("Extensions"), note, columns, rows)) if rows else None


def _attention(experiment: Experiment, *, simulated: bool) -> dict[str, Any] | None:
    """How each listener did who has answered a check."""
    ballots = counted_ballots(experiment, simulated=simulated)
    found = outcomes(experiment=experiment, ballots=[each.ballot for each in ballots])
    rows = [
        {
            "listener": subject_id(each.participant, each.ballot),
            "passed": one.passed,
            "judged": one.judged,
            "pairs": len(one.pairs),
            "difference": one.difference,
        }
        for each in ballots
        if (one := found.get(each.ballot)) and (one.judged or one.pairs)
    ]
    columns = [
        text_column(_("Listener"), "listener"),
        number_column(_("Checks passed"), "passed", count),
        number_column(_("Checks answered"), "judged", count),
        number_column(_("Ratings given twice"), "pairs", count),
        number_column(_("Mean difference of the two"), "difference"),
    ]
    note = _("Trap and gold clips with a known answer, and clips that were heard twice. They count in no mean.")
    return _shown(Table("attention", _("Attention checks"), note, columns, rows)) if rows else None


def _texts(experiment: Experiment) -> list[dict[str, Any]]:
    """Every version of the texts that listeners could read, and how many agreed to it."""
    counts = consent_counts(experiment)
    return [{"version": version, "consents": counts.get(version.pk, 0)} for version in published_texts(experiment)]


def _versions(experiment: Experiment, result: Result) -> Iterator[tuple[str, str]]:
    """What a person needs to do the same again."""
    protocol = get_protocol(experiment.protocol)
    labels = labels_of(experiment)
    yield _("Software"), f"Earmark {settings.SOFTWARE_VERSION}"
    yield _("Protocol"), f"{protocol.title}, {protocol.slug} {protocol.version}"
    yield _("Labels"), f"{labels.id} ({labels.language}, {labels.status.value}), SHA-256 {labels.sha256}"
    yield _("Language of the pages"), experiment.language
    yield _("Collection"), f"{experiment.collection.title}, {_('version')} {experiment.collection.version}"
    yield _("Method"), f"{methods()[result['method']].title}, {result['method']} {result['version']}"
    yield _("Design of the experiment, SHA-256"), experiment.design_sha256 or "-"
    yield _("Layout of the seats, SHA-256"), experiment.layout_sha256 or "-"
