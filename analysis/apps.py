"""App configuration of analysis: loads its start-up checks and lets the sandbox analyse tables and plan studies."""

from django.apps import AppConfig

from audio.sandbox.client import allow_work


class AnalysisConfig(AppConfig):
    name = "analysis"

    def ready(self) -> None:
        from analysis import checks  # noqa: F401

        allow_work(modules=("analysis.votes_table.sandboxed", "analysis.study_plan"))
