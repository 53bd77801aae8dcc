"""The API covers what the pages do, and its description has the type of every request and of every answer."""

import os
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from django.core.management import call_command
from django.urls import URLPattern, URLResolver, get_resolver
from drf_spectacular.generators import SchemaGenerator

from tests.contracts.routes import TABLE
from tests.contracts.test_docs import table

# What people do in a browser and programs do not; accounts, tokens and the service (core) besides.
WITHOUT_API = {
    "preview of a form": "rating:preview_text listening:trial_preview listening:preview_sound",
    "a visit in this browser": "listening:preview",
    "of participants": (
        "listening:join listening:visit listening:receipt listening:withdraw listening:questionnaire "
        "listening:consent_copy"
    ),
    "sent only after a person has read the preview": (
        "listening:mail listening:mail_preview listening:reminder listening:send_mail listening:forget_mail"
    ),
    "paper is typed in by hand": (
        "listening:print_sheets listening:paper listening:paper_sheet listening:finish_paper"
    ),
    "a person reads the report on the workbook before it counts": (
        "listening:workbook listening:workbook_file listening:finish_workbook listening:workbooks_zip"
    ),
    "listening": (
        "stimuli:compare stimuli:sound stimuli:clip stimuli:manifest stimuli:peaks stimuli:peaks_file stimuli:tile "
        "stimuli:slice stimuli:clock"
    ),
    "the command analyse_votes": "analysis:table",
    "the command plan_study": "analysis:plan_study analysis:plan_file",
    "the command import_experiment": "listening:from_elsewhere",
    "the service, for admins": "stimuli:storage stimuli:set_quota",
}
PERSONS_ALONE = {name for names in WITHOUT_API.values() for name in names.split()}


@cache
def schema() -> dict[str, Any]:
    made: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    return made


def addresses(resolver: URLResolver, before: str = "/") -> Iterator[tuple[str, URLPattern]]:
    for pattern in resolver.url_patterns:
        if isinstance(pattern, URLResolver):
            yield from addresses(pattern, before + str(pattern.pattern))
        else:
            yield before + re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", str(pattern.pattern)), pattern


def experimenters_routes() -> dict[str, str]:
    """Name and address of every route of the API that is not the participant's."""
    return {
        str(pattern.name): address
        for address, pattern in addresses(get_resolver("config.urls"))
        if address.startswith("/api/v1/") and not address.startswith("/api/v1/visits/")
    }


def operations() -> Iterator[tuple[str, dict[str, Any]]]:
    for address, methods in schema()["paths"].items():
        for method, operation in methods.items():
            if not address.startswith("/api/v1/visits/"):
                yield f"{method.upper()} {address}", operation


def typed(content: dict[str, Any]) -> bool:
    """Whether every medium has a schema that says more than that there is an object."""
    return all(
        "$ref" in medium.get("schema", {}) or medium.get("schema", {}).get("type") in {"array", "string"}
        for medium in content.values()
    )


def test_every_route_is_described() -> None:
    schemas = {"schema", "experiment_file_schema"}
    known = {name: address for name, address in experimenters_routes().items() if name not in schemas}
    missing = {name: address for name, address in known.items() if address not in schema()["paths"]}
    assert missing == {}


def test_every_request_and_every_answer_has_a_type() -> None:
    untyped = []
    for name, operation in operations():
        if not typed(operation.get("requestBody", {}).get("content", {})):
            untyped.append(f"request of {name}")
        for status, answer in operation["responses"].items():
            if not status.startswith("2"):
                continue
            content = answer.get("content", {})
            if not typed(content) or (not content and status not in {"201", "204"}):
                untyped.append(f"answer {status} of {name}")
    assert untyped == []


def test_an_object_without_fields_is_found_to_have_no_type() -> None:
    assert not typed({"application/json": {"schema": {"type": "object", "additionalProperties": {}}}})


def reached(part: Any, found: set[str]) -> set[str]:
    """The names of all objects that a part of the description leads to."""
    for name in set(re.findall(r"#/components/schemas/(\w+)", str(part))) - found:
        found.add(name)
        reached(schema()["components"]["schemas"][name], found)
    return found


def test_every_field_of_a_described_object_has_a_type() -> None:
    named = reached([operation for _, operation in operations()], set())
    assert len(named) > 50
    for name in named:
        for field, told in schema()["components"]["schemas"][name].get("properties", {}).items():
            own = (name, field) == ("Option", "default")  # of whatever kind the option is
            assert own or told.keys() & {"type", "$ref", "allOf", "oneOf"}, (name, field)


def test_the_description_is_made_without_a_warning() -> None:
    call_command("spectacular", "--validate", "--fail-on-warn", "--file", os.devnull)


def test_the_page_names_what_stands_in_for_every_page() -> None:
    """The table in docs/api.md: a page, and the addresses of the API that do the same."""
    documented = table("docs/api.md")
    pages = {name for name in TABLE if name.startswith(("stimuli:", "rating:", "listening:", "analysis:"))}
    assert PERSONS_ALONE - pages == set()
    pages -= PERSONS_ALONE
    assert pages - documented.keys() == set()
    assert documented.keys() - pages == set()
    known = experimenters_routes()
    for page, (routes, *_more) in documented.items():
        for route in re.findall(r"`([^`]+)`", routes):
            assert f"/api/v1/{route}" in known.values(), f"{page}: {route}"
