"""Plug-ins listed by a setting as dotted paths of classes with a slug; loaded once, errors name the setting."""

from functools import cache
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.utils.module_loading import import_string


@cache
def load_plugins(setting: str) -> dict[str, Any]:
    """Return one instance of every class that the setting lists, by slug, in the order of the list."""
    plugins: dict[str, Any] = {}
    for path in getattr(settings, setting):
        try:
            plugin = import_string(path)()
        except (ImportError, TypeError) as problem:
            raise ImproperlyConfigured(f"{setting} lists '{path}', which cannot be loaded: {problem}") from problem
        if plugin.slug in plugins:
            raise ImproperlyConfigured(f"{setting} lists two plug-ins called '{plugin.slug}'; rename or remove one.")
        plugins[plugin.slug] = plugin
    return plugins
