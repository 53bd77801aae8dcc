"""App configuration; loads the start-up checks."""

from django.apps import AppConfig


class RatingConfig(AppConfig):
    name = "rating"

    def ready(self) -> None:
        from rating import checks  # noqa: F401
