"""Registers the room with Django."""

from django.apps import AppConfig


class StimuliConfig(AppConfig):
    name = "stimuli"
