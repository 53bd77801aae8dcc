"""Analysis of ABX: how often X was identified, by pair, item and listener, against chance."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.method import AnsweredPage, HeardSlot, Json, PageMethod


class Identification(PageMethod):
    """Correct answers with exact limits and tests against chance, pooled and over listeners; Holm over pairs.

    What cannot be computed is null, not 0. protocols/abx/docs.md has the formulas and what each test assumes.
    """

    slug = "abx"
    version = "1.0"
    title = "ABX"

    def run(self, pages: Sequence[AnsweredPage], material: Sequence[HeardSlot]) -> Json:
        # numpy and scipy load here, in the worker; the web process only needs a method's name.
        from protocols.abx.analysis.tables import tables_of, trials_of

        return tables_of(trials_of(page for page in pages if page.kind != "practice"))
