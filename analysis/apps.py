"""App configuration of analysis, which loads its start-up checks and lets the sandbox analyse tables of votes."""

from django.apps import AppConfig

from audio.sandbox.client import allow_work


class AnalysisConfig(AppConfig):
    name = "analysis"

    def ready(self) -> None:
        from analysis import checks  # noqa: F401

        allow_work(modules=("analysis.votes_table.sandboxed",))
