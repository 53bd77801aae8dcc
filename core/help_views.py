"""Pages of the help: the index, one page a guide, and every address of the API."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET
from drf_spectacular.generators import SchemaGenerator

from core.help import pages
from core.http_errors import not_found
from core.permissions import Audience, requires

API = "/api/v1/"
METHODS = ("get", "post", "put", "patch", "delete")


@require_GET
@requires(Audience.STAFF)
def index(request: HttpRequest) -> HttpResponse:
    return render(request, "core/help.html", {"groups": list(_groups())})


def _groups() -> Iterator[dict[str, Any]]:
    """The guides by whom they are for; what is for developers alone comes last."""
    known, left = pages(), dict(pages())
    guides = ["experimenter", "uploading", "importing", "experiment-file", "last-vote-to-paper"]
    experiments = [*(f"guides/{name}" for name in guides), "viewer", "data", "glossary"]
    for title, names in (
        (_("Experiments"), experiments),
        (_("Protocols"), [name for name in known if name.startswith("protocols/")]),
        (_("Methods"), [name for name in known if name.startswith("methods/")]),
        (_("Programs"), ["client", "api", "errors", "commands"]),
        (_("For participants"), ["guides/participant"]),
        (_("Installation"), ["guides/admin", "deployment", "settings"]),
    ):
        yield {"title": title, "pages": [left.pop(name) for name in names if name in left]}
    yield {"title": _("Development"), "pages": list(left.values())}


@require_GET
@requires(Audience.STAFF)
def page(request: HttpRequest, guide: str) -> HttpResponse:
    found = pages().get(guide)
    if found is None:
        raise not_found()
    return render(request, "core/help_page.html", {"page": found})


@require_GET
@requires(Audience.STAFF)
def api(request: HttpRequest) -> HttpResponse:
    """Every address of the API to read, made from its description; the participants' own are left out."""
    return render(request, "core/help_api.html", {"groups": _described()})


@cache
def _described() -> list[dict[str, Any]]:
    """The operations by the first words of their addresses; they stay as long as the process."""
    schema = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    objects = schema["components"]["schemas"]
    groups: dict[str, list[dict[str, Any]]] = {}
    for address, methods in schema["paths"].items():
        path = address.removeprefix(API)
        if path.startswith("visits/"):
            continue
        group = groups.setdefault(path.partition("/")[0], [])
        group += [_operation(method, path, methods[method], objects) for method in METHODS if method in methods]
    return [{"title": title, "operations": operations} for title, operations in sorted(groups.items())]


def _operation(method: str, path: str, told: Mapping[str, Any], objects: Mapping[str, Any]) -> dict[str, Any]:
    answers = [
        {"status": status, "type": _type(_content(answer)), "fields": _fields(_content(answer), objects)}
        for status, answer in told["responses"].items()
    ]
    asked = _content(told.get("requestBody", {}))
    return {
        "id": told["operationId"],
        "method": method.upper(),
        "path": path,
        "about": told.get("description", ""),
        "parameters": [part for part in told.get("parameters", []) if part["in"] == "query"],
        "request": {"type": _type(asked), "fields": _fields(asked, objects)} if asked else None,
        "answers": answers,
    }


def _content(part: Mapping[str, Any]) -> Mapping[str, Any]:
    """The schema of a request or of an answer, whatever its medium."""
    schema: Mapping[str, Any] = next((medium.get("schema", {}) for medium in part.get("content", {}).values()), {})
    return schema


def _fields(schema: Mapping[str, Any], objects: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The fields of an object, or of the objects in a list."""
    schema = schema.get("items", schema)
    told = objects.get(schema.get("$ref", "").rpartition("/")[2], {})
    needed = told.get("required", ())
    return [
        {"name": name, "type": _type(field), "needed": name in needed, "about": field.get("description", "")}
        for name, field in told.get("properties", {}).items()
    ]


def _type(schema: Mapping[str, Any]) -> str:
    """The type in a word or two: `integer`, `list of Panel`, `one of draft, live`."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    for many in ("allOf", "oneOf"):
        if many in schema:
            return " / ".join(dict.fromkeys(_type(part) for part in schema[many]))
    if "enum" in schema:
        return ", ".join(str(value) for value in schema["enum"] if value not in ("", None))
    if schema.get("type") == "array":
        return f"[{_type(schema.get('items', {}))}]"
    return str(schema.get("format") or schema.get("type", ""))
