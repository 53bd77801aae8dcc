"""Report of THumBS: what captions of each source got, in which scores sources differ, and how far people agree."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from analysis.datasets import counted
from analysis.exports import csv_lines, subject_id
from analysis.reports import model_tables
from analysis.reports.base import Asked, Choices, Pieces, Report, ReportFile, Result, one_of
from analysis.reports.messages import complete_only, listener_sentences
from listening.panels.services.exclusions import EXCLUSION_COLUMNS, excluded_now
from protocols.thumbs.report import tables
from protocols.thumbs.report.plot import means_plot
from protocols.thumbs.report.tables import methods_text, warnings
from rating.models import Experiment, Trial
from rating.registry import get_protocol
from rating.services.experiments import condition_names
from rating.services.pages import plan_of

Row = dict[str, Any]

SCORES = ("PRECISION", "RECALL", "FLUENCY", "CONCISENESS", "IRRELEVANCE", "OVERALL")
ABOUT = ("subject_id", "group", "no", "record_id", "item", "dataset", "caption", "condition")
WIDE = (*ABOUT, *(name.lower() for name in SCORES), "synthesised", "comment", "row_type", *EXCLUSION_COLUMNS)
LONG = (*ABOUT, "scale", "value", "row_type", *EXCLUSION_COLUMNS)
CLIPS = ("item", "dataset", "condition", "group", "scale", "n_assessors", "mean")


def captions(experiment: Experiment, *, simulated: bool) -> Iterator[Row]:
    """Yield every caption that was scored to the end, assessor by assessor, in the order of that assessor's pages.

    `no` counts the assessor's clips, `record_id` is what the assessor knew the clip by, `caption` its number there.
    """
    protocol, names = get_protocol(experiment.protocol), condition_names(experiment)
    numbers: dict[Any, int] = {}
    excluded = excluded_now(experiment)
    for trial in _scored(experiment, simulated=simulated):
        slots = {slot.key: slot for slot in trial.slots.all()}
        answer = protocol.read(trial.current_vote.payload, plan_of(trial, slots.values()))  # type: ignore[union-attr]
        marks = {(mark.slot, mark.scale): mark.value for mark in answer.marks}
        said = marks.get(("clip", "SYNTHESISED"))
        numbers[trial.ballot_id] = numbers.get(trial.ballot_id, 0) + 1
        about = {
            **_who(trial),
            **excluded.columns(trial.ballot_id, trial.position),
            "no": numbers[trial.ballot_id],
            "record_id": str(slots["clip"].media)[:8],
            "item": slots["clip"].stimulus.item.name,
            "dataset": slots["clip"].stimulus.item.factors.get("dataset", ""),
            "synthesised": None if said is None else "yes" if said else "no",
        }
        for key in sorted(slots.keys() - {"clip"}, key=lambda key: (len(key), key)):
            yield {
                **about,
                "caption": int(key.removeprefix("c")),
                "condition": names[slots[key].stimulus.condition.name],
                **{scale.lower(): marks.get((key, scale)) for scale in SCORES},
                "comment": answer.detail["comments"].get(key, ""),
            }


def scores(experiment: Experiment, *, simulated: bool) -> Iterator[Row]:
    """Yield the same with one row a score."""
    for caption in captions(experiment, simulated=simulated):
        about = {name: caption[name] for name in (*ABOUT, "row_type", *EXCLUSION_COLUMNS)}
        for scale in SCORES:
            if caption[scale.lower()] is not None:
                yield {**about, "scale": scale, "value": caption[scale.lower()]}


def _who(trial: Trial) -> Row:
    seat = getattr(trial.ballot, "seat", None)
    participant = seat.participant if seat else None
    return {
        "subject_id": subject_id(participant.number if participant else None, trial.ballot_id),
        "group": seat.panel.group if seat else "",
        "row_type": trial.ballot.kind,
    }


def _scored(experiment: Experiment, *, simulated: bool) -> QuerySet[Trial]:
    trials = Trial.objects.filter(ballot__in=counted(experiment, simulated=simulated), kind="test", answered=True)
    return (
        trials.select_related("ballot__seat__participant", "ballot__seat__panel", "current_vote")
        .prefetch_related("slots__stimulus__item", "slots__stimulus__condition", "slots__stimulus__recording")
        .order_by(
            "ballot__seat__panel__number", "ballot__seat__number", "ballot__seat__occupancy", "ballot_id", "position"
        )
    )


class ThumbsChoices(Choices):
    """One dataset and one group of people or all, and which source others are compared with."""

    def __init__(self, table: Mapping[str, Any], asked: Asked) -> None:
        super().__init__(asked)
        rows = table.get("rows", [])
        self.datasets = sorted({row["dataset"] for row in rows} - {None})
        self.groups = sorted({row["group"] for row in rows} - {None})
        self.sources = list(dict.fromkeys(row["condition"] for row in rows))
        self.dataset = asked["dataset"] if asked.get("dataset") in self.datasets else None
        self.group = asked["group"] if asked.get("group") in self.groups else None
        self.against = one_of(asked.get("against"), self.sources)

    @property
    def chosen(self) -> Mapping[str, str | None]:
        return {"dataset": self.dataset, "group": self.group, "against": self.against}

    def part(self, row: Mapping[str, Any]) -> bool:
        """Whether a row is about the dataset and the group that were chosen."""
        return (row["dataset"], row["group"]) == (self.dataset, self.group)


def _plot(experiment: Experiment, result: Result, asked: Asked) -> Pieces:
    chosen = ThumbsChoices(result["table"], asked)
    return [means_plot([row for row in result["table"].get("rows", []) if chosen.part(row)], chosen.sources)]


def _long(experiment: Experiment, result: Result, asked: Asked) -> Pieces:
    return csv_lines(scores(experiment, simulated=result["simulated"]), columns=list(LONG))


def _wide(experiment: Experiment, result: Result, asked: Asked) -> Pieces:
    return csv_lines(captions(experiment, simulated=result["simulated"]), columns=list(WIDE))


def _clips(experiment: Experiment, result: Result, asked: Asked) -> Pieces:
    return csv_lines(result["table"].get("clips", []), columns=list(CLIPS))


FILES = {
    "thumbs_long.csv": ReportFile(_("One row a score (CSV)"), _long, of_votes=True),
    "thumbs_wide.csv": ReportFile(
        _("One row a caption and assessor, as the study's sheet (CSV)"), _wide, of_votes=True
    ),
    "thumbs_clips.csv": ReportFile(_("Means over assessors, one row a caption and score (CSV)"), _clips),
    "thumbs.svg": ReportFile(_("Means by source (SVG)"), _plot, "image/svg+xml"),
}


class ThumbsReport(Report):
    template = "thumbs/report.html"
    files = FILES

    def context(self, experiment: Experiment, result: Result, asked: Asked) -> dict[str, Any]:
        table = result["table"]
        chosen = ThumbsChoices(table, asked)
        rows = [row for row in table.get("rows", []) if chosen.part(row)]
        words = tables.model_words()
        return {
            "asked": chosen,
            "query": chosen.query(),
            "datasets": [(name, chosen.query(dataset=name)) for name in (None, *chosen.datasets)],
            "groups": [(name, chosen.query(group=name)) for name in (None, *chosen.groups)],
            "plot": means_plot(rows, chosen.sources) if rows else "",
            "means": tables.means(rows),
            "complete": complete_only(
                tables.means([row for row in table.get("complete_listeners", []) if chosen.part(row)])
            ),
            "contrasts": tables.contrasts(table, chosen.part, chosen.against),
            "model": model_tables.means(table, words),
            "model_contrasts": model_tables.contrasts(table, words, chosen.against),
            "agreement": tables.agreement(table, chosen.group),
            "synthesised": tables.synthesised(table),
            "more": [each for each in _more(table, chosen) if each.rows],
            "warnings": [*listener_sentences(table), *model_tables.model_sentences(table), *warnings(table)],
            "methods_text": methods_text(experiment, result),
        }


def _more(table: Mapping[str, Any], chosen: ThumbsChoices) -> list[Any]:
    """The tables that are looked up rather than read."""
    return [
        tables.over_assessors(table, chosen.part),
        tables.checks(table, chosen.part, chosen.against),
        tables.every_part(table),
        tables.assessors(table, chosen.group),
        model_tables.components(table),
    ]
