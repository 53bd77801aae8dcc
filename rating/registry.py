"""Registry of protocols: the installed apps that have a module `protocol`, and the optional modules beside it."""

import inspect
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TypeVar

from django.apps import AppConfig, apps
from django.core.exceptions import ImproperlyConfigured
from django.utils.module_loading import module_has_submodule
from django.utils.translation import gettext_noop as _

from core.errors import AppError
from rating.protocol import Protocol

SHARED_PICTURE = "rating/_picture.html"
SHARED_VIEW = "scales"  # the category scales in the browser, for protocols without a view of their own

Base = TypeVar("Base")


@cache
def protocol_apps() -> dict[str, AppConfig]:
    """Apps that hold a protocol, by label, in the order of INSTALLED_APPS; `rating.protocol` itself is the contract."""
    return {
        app.label: app
        for app in apps.get_app_configs()
        if app.module and app.label != "rating" and module_has_submodule(app.module, "protocol")
    }


@cache
def protocols() -> dict[str, Protocol]:
    """One instance of every protocol by slug. A slug is the label of its app, so that one word names all its parts."""
    found: dict[str, Protocol] = {}
    for label in protocol_apps():
        protocol = instance_in(label, "protocol", Protocol)
        if protocol is None or getattr(protocol, "slug", label) != label:
            raise ImproperlyConfigured(f"The app '{label}' must have one protocol, whose slug is '{label}'.")
        found[label] = protocol
    return found


def get_protocol(slug: str) -> Protocol:
    try:
        return protocols()[slug]
    except KeyError:
        raise AppError(
            "experiment.unknown_protocol",
            422,
            _("There is no protocol called '{slug}'. Known: {known}."),
            slug=slug,
            known=", ".join(protocols()),
        ) from None


@cache
def module_of(slug: str, name: str) -> ModuleType | None:
    """A module of the protocol's app (analysis, report, demo, paper, workbook), or None where it has none."""
    app = protocol_apps()[slug]
    return import_module(f"{app.name}.{name}") if module_has_submodule(app.module, name) else None


@cache
def instance_in(slug: str, name: str, base: type[Base]) -> Base | None:
    """An instance of the one class of this kind that a module of the protocol's app defines."""
    module = module_of(slug, name)
    if module is None:
        return None
    classes = [
        each
        for each in vars(module).values()
        if isinstance(each, type)
        and issubclass(each, base)
        and each.__module__ == module.__name__
        and not inspect.isabstract(each)
    ]
    if len(classes) != 1:
        raise ImproperlyConfigured(f"{module.__name__} must define one {base.__name__}, not {len(classes)}.")
    return classes[0]()


@cache
def view_of(slug: str) -> str:
    """The browser module that draws the pages: the protocol's own where it has a folder `view`, else the scales."""
    return slug if _folder(slug, "view", "index.ts").exists() else SHARED_VIEW


@cache
def style_of(slug: str) -> str:
    """The built style sheet of a protocol that has one, as `static` takes it."""
    return f"dist/{slug}.css" if _folder(slug, "style.css").exists() else ""


@cache
def picture_of(slug: str) -> str:
    """The template of the picture on a protocol's card, or the shared one of a clip where it has none."""
    name = f"{slug}/picture.html"
    return name if _folder(slug, "templates", slug, "picture.html").exists() else SHARED_PICTURE


def _folder(slug: str, *parts: str) -> Path:
    return Path(protocol_apps()[slug].path, *parts)
