"""What the figures of chapters are called on the page."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from analysis.methods.chapters.catalogue import METRICS

Row = Mapping[str, Any]

# In the order of the catalogue.
METRIC_NAMES = {
    "precision": gettext_lazy("Precision"),
    "recall": gettext_lazy("Recall"),
    "f1": gettext_lazy("F1"),
    "accuracy": gettext_lazy("Accuracy"),
    "specificity": gettext_lazy("Specificity"),
    "pk": "Pk",
    "window_diff": "WindowDiff",
    "boundary_similarity": gettext_lazy("Boundary similarity"),
    "ghd": gettext_lazy("Generalised Hamming distance"),
    "num_segments": gettext_lazy("Boundary chunks"),
    "reference/num_segments": gettext_lazy("Boundary chunks of the other side"),
    "collar_precision": gettext_lazy("Precision within the collar"),
    "collar_recall": gettext_lazy("Recall within the collar"),
    "collar_f1": gettext_lazy("F1 within the collar"),
    "tm_matched": gettext_lazy("Titles with a partner"),
    "tm_rl_precision": gettext_lazy("Paired titles, ROUGE-L precision"),
    "tm_rl_recall": gettext_lazy("Paired titles, ROUGE-L recall"),
    "tm_rl_f1": gettext_lazy("Paired titles, ROUGE-L F1"),
    "gc_rl_precision": gettext_lazy("All titles, ROUGE-L precision"),
    "gc_rl_recall": gettext_lazy("All titles, ROUGE-L recall"),
    "gc_rl_f1": gettext_lazy("All titles, ROUGE-L F1"),
}


def against_words() -> dict[str, str]:
    return {"reference": _("the reference"), "people": _("people")}


def who(row: Row) -> str:
    """A person by number, a system by the name of the moment."""
    if row["annotator"] is not None:
        return _("Annotator {n}").format(n=row["annotator"]).replace(" ", "\N{NO-BREAK SPACE}")
    return str(row["condition"] or _("Reference"))


def by_kind(row: Row) -> tuple[int, int, str]:
    """The reference, then systems by their name of the moment, then people by number."""
    return row["condition"] is None and row["annotator"] is not None, row["annotator"] or 0, row["condition"] or ""


def unit_of(metric: str) -> str:
    """The unit of a metric and which way is better; the catalogue has both."""
    unit = _(METRICS[metric].unit.says)
    if METRICS[metric].lower_is_better is None:
        return unit
    better = _("lower is better") if METRICS[metric].lower_is_better else _("higher is better")
    return f"{unit}; {better}"


def moment(seconds: float) -> str:
    """1:02:03.4, with hours only where there are any."""
    tenths = round(seconds * 10)
    minutes, rest = divmod(tenths, 600)
    hours, minutes = divmod(minutes, 60)
    text = f"{minutes:02d}:{rest / 10:04.1f}" if hours else f"{minutes}:{rest / 10:04.1f}"
    return f"{hours}:{text}" if hours else text


def warning_sentences(warnings: Sequence[Row]) -> list[str]:
    """What an expert reader should know, in words."""
    sentences = {
        "short": _("{n} answers are about a recording that is shorter than a chunk; they have no metrics."),
        "outside": _("{n} answers are compared where a boundary lies outside the recording."),
        "tail": _(
            "{n} answers are compared where a boundary lies in the last part, which fills no chunk; it counts in the "
            "collar metrics alone."
        ),
        "unsorted": _("{n} answers are compared with boundaries out of order; these were sorted."),
        "repeated": _("{n} answers are compared where a boundary is there twice; in the collar metrics each counts."),
        "titles-unsorted": _("{n} answers are compared with titles out of order; they are compared as listed."),
        "titles-outside": _("{n} answers are compared where a title starts outside the recording."),
        "no-boundaries": _(
            "{n} answers and their reference have no boundary. They agree, but precision, recall and F1 of nothing are "
            "0 by convention."
        ),
        "no-reference-titles": _("{n} answers have a reference without titles; titles are not compared there."),
    }
    return [sentences[row["code"]].format(n=row["answers"]) for row in warnings if row["code"] in sentences]
