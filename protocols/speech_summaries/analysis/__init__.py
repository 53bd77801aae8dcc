"""Analysis of summaries: how close each is to what people made (Hori, Hori and Furui, Eurospeech 2003)."""

from collections.abc import Sequence

from analysis.method import AnsweredPage, HeardSlot, Json, PageMethod


class SpeechSummaryEvaluation(PageMethod):
    """Every version of every utterance, measured by the summaries of makers and held against the means of judges.

    Practice does not count. What cannot be computed is null, not 0. The formulas are in docs.md.
    """

    slug = "speech_summaries"
    version = "1.1"
    title = "Speech summaries"

    def run(self, pages: Sequence[AnsweredPage], material: Sequence[HeardSlot]) -> Json:
        # What computes is loaded here, in the worker; the web process only needs a method's name.
        from protocols.speech_summaries.analysis.study import gather
        from protocols.speech_summaries.analysis.tables import analyse

        return analyse(gather(pages, material))
