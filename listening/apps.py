"""App configuration."""

from django.apps import AppConfig


class ListeningConfig(AppConfig):
    name = "listening"
