"""The app's name and label."""

from django.apps import AppConfig


class EffectsConfig(AppConfig):
    name = "tests.testapp"
    label = "testapp"
