"""Report of the TC/SD plane: a picture of all recordings or of one, the tables behind it, and every move."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from analysis.exports import csv_lines
from analysis.reports import model_tables
from analysis.reports.base import Asked, Choices, Pieces, Report, ReportFile, Result, one_of
from analysis.reports.messages import complete_only, listener_sentences
from analysis.reports.tables import Table
from protocols.tcsd_plane.report import moves, tables
from protocols.tcsd_plane.report.picture import ELLIPSES, draw, recordings_of, scene_of
from protocols.tcsd_plane.report.tables import methods_text, warnings
from rating.models import Experiment

SVG = "image/svg+xml"


class PlaneChoices(Choices):
    """One recording or all, which ellipse, and what contrasts are to."""

    usual: ClassVar[Mapping[str, str]] = {"ellipse": ELLIPSES[0]}

    def __init__(self, asked: Asked, recordings: list[str]) -> None:
        super().__init__(asked)
        self.recording = asked["recording"] if asked.get("recording") in recordings else ""
        self.ellipse = one_of(asked.get("ellipse"), ELLIPSES)
        self.against = asked.get("against", "")

    @property
    def chosen(self) -> Mapping[str, str | None]:
        return {"recording": self.recording, "ellipse": self.ellipse, "against": self.against}


def _picture(experiment: Experiment, result: Result, asked: Asked) -> Pieces:
    chosen = PlaneChoices(asked, recordings_of(result["table"]))
    return [draw(scene_of(result["table"], recording=chosen.recording, ellipse=chosen.ellipse))]


def _placements(experiment: Experiment, result: Result, asked: Asked) -> Pieces:
    rows = moves.moves(experiment, simulated=result["simulated"])
    return csv_lines(rows, columns=list(moves.MEANINGS))


def _sheet(experiment: Experiment, result: Result, asked: Asked) -> Pieces:
    rows = moves.authors_sheet(experiment, simulated=result["simulated"])
    return csv_lines(rows, columns=moves.SHEET)


def _notes(experiment: Experiment, result: Result, asked: Asked) -> Pieces:
    return csv_lines(moves.notes(experiment, simulated=result["simulated"]), columns=moves.NOTES)


class PlaneReport(Report):
    template = "tcsd_plane/report.html"
    # An order along z, or a family, tells which condition is which.
    open_only = ("trade_off", "families", "curves", "equal_z")
    files: ClassVar[Mapping[str, ReportFile]] = {
        "placements.csv": ReportFile(gettext_lazy("Every move of every cross (CSV)"), _placements, of_votes=True),
        "authors_sheet.csv": ReportFile(gettext_lazy("Marks as in the study's own sheet (CSV)"), _sheet, of_votes=True),
        "notes.csv": ReportFile(gettext_lazy("Hours, sources and comments (CSV)"), _notes, of_votes=True),
        "plane.svg": ReportFile(gettext_lazy("Plane of all recordings (SVG)"), _picture, SVG),
    }

    def context(self, experiment: Experiment, result: Result, asked: Asked) -> dict[str, Any]:
        table = result["table"]
        recordings = recordings_of(table)
        chosen = PlaneChoices(asked, recordings)
        scene = scene_of(table, recording=chosen.recording, ellipse=chosen.ellipse)
        contrasts, choices, against = tables.contrasts(table, chosen.against)
        words = tables.model_words()
        return {
            "asked": chosen,
            "query": chosen.query(),
            "picture": draw(scene) if scene.conditions else "",
            "picture_name": f"plane-{recordings.index(chosen.recording) + 1}" if chosen.recording else "plane",
            "why_no_ellipse": scene.why_no_ellipse,
            "recordings": [(name, chosen.query(recording=name)) for name in recordings],
            "all_recordings": chosen.query(recording=""),
            "ellipses": [(name, words, chosen.query(ellipse=name)) for name, words in _ellipse_names().items()],
            "marks": tables.marks_sheet(table, chosen.recording),
            "means": tables.by_recording(table, chosen.recording) if chosen.recording else tables.over_raters(table),
            "complete": complete_only(tables.over_raters({"rows": table.get("complete_listeners", [])})),
            "differing": tables.both_axes(table),
            "on_plane": tables.on_plane(table, against),
            "model": model_tables.means(table, words),
            "model_contrasts": model_tables.contrasts(table, words, against),
            "equal_z": tables.equal_z(table),
            "block_tests": tables.friedman(table),
            "contrasts": contrasts,
            "choices": choices,
            "against": against,
            "agreement": tables.agreement(table),
            "more": [each for each in _more(table, chosen.recording, against) if each.rows],
            "warnings": [*listener_sentences(table), *model_tables.model_sentences(table), *warnings(table)],
            "methods_text": methods_text(experiment, result),
        }

    def dataset(self, experiment: Experiment, result: Result, *, simulated: bool) -> Iterable[tuple[str, Pieces]]:
        """Return a picture of each recording, and what the columns of the placements mean."""
        meanings = {"variableMeasured": moves.MEANINGS}
        yield "results/placements.json", [json.dumps(meanings, indent=2, ensure_ascii=False) + "\n"]
        for number, recording in enumerate(recordings_of(result["table"]), start=1):
            yield f"results/plane-{number}.svg", _picture(experiment, result, {"recording": recording})


def _ellipse_names() -> dict[str, str]:
    return {
        "spread": _("Spread, 1 s.d."),
        "mean": _("95 % of the mean"),
        "both": _("Both"),
        "none": _("None"),
    }


def _more(table: Mapping[str, Any], recording: str, against: str) -> list[Table]:
    """The tables that are looked up rather than read."""
    means = tables.over_raters(table) if recording else tables.by_recording(table, recording)
    return [
        tables.recording_effects(table, against, recording),
        means,
        tables.over_marks(table),
        tables.slopes(table),
        tables.families(table),
        model_tables.components(table),
        tables.raters(table),
        tables.standardised(table),
    ]
