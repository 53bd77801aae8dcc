"""Django app of stimuli, with the work that it lets the audio library's sandbox run."""

from django.apps import AppConfig

from audio.sandbox.client import allow_work


class StimuliConfig(AppConfig):
    name = "stimuli"

    def ready(self) -> None:
        allow_work(
            modules=("stimuli.imports.",),
            preloaded=("stimuli.imports.silence_split", "stimuli.imports.xlsx"),
            errors=("stimuli.errors",),
        )
