"""Analysis of marks on the TC/SD plane: where conditions lie, and how far raters agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from analysis.method import Json, Method

if TYPE_CHECKING:
    import pandas as pd


class PlaneStatistics(Method):
    """Every table there is about placements (TC, SD), each a list of rows, however few the marks.

    A rater is the unit of every interval and every ellipse of a mean: the marks of one rater on several recordings are
    averaged first. What cannot be computed is null, not 0. protocols/tcsd_plane/docs.md has the formulas.
    """

    slug = "tcsd_plane"
    version = "1.3"
    title = "TC/SD plane"

    def run(self, table: pd.DataFrame) -> Json:
        # numpy and scipy load here, in the worker; the web process only needs a method's name.
        from protocols.tcsd_plane.analysis.placements import placements_of
        from protocols.tcsd_plane.analysis.tables import analyse

        return analyse(placements_of(table))

    def model_level(self, table: pd.DataFrame) -> Sequence[Mapping[str, Any]]:
        from protocols.tcsd_plane.analysis.inference import models
        from protocols.tcsd_plane.analysis.placements import placements_of

        return models(placements_of(table))["model_level"]
