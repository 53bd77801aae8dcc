"""Registers the room with Django."""

from django.apps import AppConfig


class ListeningConfig(AppConfig):
    name = "listening"
