"""App configuration of analysis, which loads its start-up checks."""

from django.apps import AppConfig


class AnalysisConfig(AppConfig):
    name = "analysis"

    def ready(self) -> None:
        from analysis import checks  # noqa: F401
