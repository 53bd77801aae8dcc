"""The experimenter's page of results."""

from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_GET

from analysis import result_page
from analysis.paragraph import methods_paragraph
from analysis.registry import methods
from analysis.services.results import LONG, read_result
from analysis.tasks import keep_current
from core.policy import Audience, open_to, staff
from rating.access import experiment_for
from rating.forms import ReasonForm
from rating.models import Experiment
from rating.registry import protocol


@require_GET
@open_to(Audience.STAFF)
def results(request: HttpRequest, slug: str) -> HttpResponse:
    experiment = experiment_for(staff(request), slug)
    keep_current(experiment=experiment, reader=staff(request))
    rules = protocol(experiment.protocol)
    scales = [scale.key for scale in rules.scales]
    asked = Choices(request, scales)
    context = {
        "experiment": experiment,
        "shown": [_shown(experiment, name, asked) for name in rules.methods],
        "scales": scales,
        "units": result_page.units(),
        "asked": asked,
        "simulated": asked.simulated,
        "reason_form": ReasonForm(),
        "tab": "results",
    }
    return render(request, "analysis/results.html", context)


class Choices:
    """What the reader wants to see, out of the address; what the page does not know falls back to its default."""

    def __init__(self, request: HttpRequest, scales: list[str]) -> None:
        given = request.GET
        self.simulated = given.get("simulated") == "1"
        self.unit = given["unit"] if given.get("unit") in result_page.UNIT_TABLES else "listener"
        self.scale = given["scale"] if given.get("scale") in scales else ""
        self.against = given.get("against", "")
        self.pages = {part: _number(given.get(f"{part}_page", "")) for part in LONG}

    def query(self, **changes: Any) -> str:
        """The same page with other choices."""
        chosen = {
            "simulated": "1" if self.simulated else "",
            "unit": self.unit if self.unit != "listener" else "",
            "scale": self.scale,
            "against": self.against,
        }
        return urlencode({name: value for name, value in (chosen | changes).items() if value})


def _number(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < 10 else 1


def _shown(experiment: Experiment, name: str, asked: Choices) -> dict[str, Any]:
    result = read_result(experiment=experiment, slug=name, simulated=asked.simulated, long=True)
    table = result["table"]
    differences, choices, against = result_page.differences(table, against=asked.against, scale=asked.scale)
    long = [
        result_page.long_table(part, table.get(part, []), scale=asked.scale, page=asked.pages[part]) for part in LONG
    ]
    return {
        "title": methods()[name].title,
        "slug": name,
        "result": result,
        "api": reverse("api:result", args=[experiment.slug, name]) + ("?simulated=1" if asked.simulated else ""),
        "means": result_page.means(table, unit=asked.unit, scale=asked.scale),
        "unit_table": result_page.UNIT_TABLES[asked.unit],
        "unit_links": {unit: asked.query(unit=unit) for unit in result_page.UNIT_TABLES},
        "scale_links": {scale["key"]: asked.query(scale=scale["key"]) for scale in result["scales"]},
        "every_scale": asked.query(scale=""),
        "differences": differences,
        "choices": choices,
        "against": against,
        "breakdowns": result_page.breakdowns(table, unit=asked.unit, scale=asked.scale),
        "long": [_paged(each, asked) for each in long if each.lines],
        "warnings": result_page.warning_sentences(table.get("warnings", [])),
        "paragraph": methods_paragraph(experiment, result),
    }


def _paged(table: Any, asked: Choices) -> dict[str, Any]:
    page, pages = table.pages["page"], table.pages["pages"]
    turn = {"before": page - 1, "after": page + 1 if page < pages else 0}
    links = {name: asked.query(**{f"{table.id}_page": to}) if to else "" for name, to in turn.items()}
    return {"table": table, "opened": page > 1, **links}
