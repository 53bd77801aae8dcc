"""Catalogue of metrics: each with its unit, which way is better, and how it is pooled over items."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from core.i18n import gettext_noop as _

SHARE = _("share, 0 to 1")
RATE = _("share of disagreeing windows, 0 to 1")
COST = _("cost in chunks, from 0")
COUNT = _("boundary chunks")
ERRORS = _("errors per reference word, from 0")


class Pooling(StrEnum):
    """How the value of a whole set follows from its items."""

    MEAN = "mean"
    HARMONIC = "harmonic"  # F1 of the mean precision and the mean recall, as chunkseg gives it for a batch
    MICRO = "micro"  # all errors by all words


@dataclass(frozen=True)
class Metric:
    unit: str  # English; marked for translation
    lower_is_better: bool | None = False  # None: neither
    pooling: Pooling = Pooling.MEAN
    headline: bool = False  # stands for its family where systems are tested against each other


def _scores(prefix: str) -> dict[str, Metric]:
    """Precision, recall and F1 of titles under one similarity."""
    return {f"{prefix}_{part}": Metric(SHARE, headline=part == "f1") for part in ("precision", "recall", "f1")}


# In the order in which they are shown. The keys are those of chunkseg 0.3.4.
METRICS = {
    "precision": Metric(SHARE),
    "recall": Metric(SHARE),
    "f1": Metric(SHARE, pooling=Pooling.HARMONIC, headline=True),
    "accuracy": Metric(SHARE),
    "specificity": Metric(SHARE),
    "pk": Metric(RATE, lower_is_better=True, headline=True),
    "window_diff": Metric(RATE, lower_is_better=True, headline=True),
    "boundary_similarity": Metric(SHARE, headline=True),
    "ghd": Metric(COST, lower_is_better=True),
    "num_segments": Metric(COUNT, lower_is_better=None),
    "reference/num_segments": Metric(COUNT, lower_is_better=None),
    "collar_precision": Metric(SHARE),
    "collar_recall": Metric(SHARE),
    "collar_f1": Metric(SHARE, headline=True),
    "tm_matched": Metric(SHARE),
    **_scores("tm_rl"),
    **_scores("gc_rl"),
    **_scores("tm_bs"),
    **_scores("gc_bs"),
    "wer": Metric(ERRORS, lower_is_better=True, pooling=Pooling.MICRO, headline=True),
}
