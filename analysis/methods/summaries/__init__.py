"""Summaries made by picking words: how close each is to what people made (Hori, Hori and Furui, Eurospeech 2003)."""

from collections.abc import Sequence

from analysis.methods.base import AnsweredPage, HeardSlot, Json, PageMethod


class SpeechSummaryEvaluation(PageMethod):
    """Every version of every utterance, measured by the summaries of makers and held against the means of judges.

    Practice does not count. What cannot be computed is null, not 0. docs/methods/summaries.md has the formulas.
    """

    slug = "summaries"
    version = "1.0"
    title = "Speech summaries"
    report = "analysis.reports.summaries.SummariesReport"

    def run(self, pages: Sequence[AnsweredPage], material: Sequence[HeardSlot]) -> Json:
        # What computes is loaded here, in the worker; the web process only needs a method's name.
        from analysis.methods.summaries.study import gather
        from analysis.methods.summaries.tables import analyse

        return analyse(gather(pages, material))
