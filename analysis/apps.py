"""App configuration of analysis: loads its start-up checks, says what an analysis plan can name, and lets the sandbox
analyse tables, plan studies and compare metrics."""

from django.apps import AppConfig

from audio.sandbox.client import allow_work
from rating.analysis_plan import KNOWN


class AnalysisConfig(AppConfig):
    name = "analysis"

    def ready(self) -> None:
        from analysis import checks  # noqa: F401
        from analysis.reports.plan import MODELS
        from analysis.statistics.rules import RULES

        KNOWN.models, KNOWN.rules = MODELS, {slug: (rule.lowest, rule.highest) for slug, rule in RULES.items()}
        allow_work(modules=("analysis.votes_table.sandboxed", "analysis.study_plan", "analysis.metrics.figures"))
