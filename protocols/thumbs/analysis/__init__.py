"""Analysis of caption scores by source, dataset and group of people, tests between sources, and agreement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from analysis.method import Json, Method

if TYPE_CHECKING:
    import pandas as pd


class CaptionStatistics(Method):
    """Every table there is about captions, each a list of rows, however few the marks.

    A clip is the unit of every interval and test: a score is averaged over assessors first, then over clips, as in the
    study (Hou et al. 2024). Intervals over assessors stand in a table of their own. What cannot be computed is null,
    not 0. protocols/thumbs/docs.md has the formulas.
    """

    slug = "thumbs"
    version = "1.1"
    title = "THumBS"

    def run(self, table: pd.DataFrame) -> Json:
        # numpy and scipy load here, in the worker; the web process only needs a method's name.
        from protocols.thumbs.analysis.tables import analyse, scored_of

        return analyse(scored_of(table))

    def model_level(self, table: pd.DataFrame) -> Sequence[Mapping[str, Any]]:
        from protocols.thumbs.analysis.tables import models, scored_of

        return models(scored_of(table))["model_level"]
