"""Page and command that plan a study: defaults, pilots, wrong values, and the same figures from both."""

import csv
import json
import re
from html import unescape
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from analysis.models import Result
from analysis.reports.pictures import can_draw
from analysis.services.plans import pilot_sources, published_sources
from analysis.study_plan import plan_study
from listening.design.base import DesignRequest
from listening.panels.services import designs
from rating.variance import VarianceComponents
from tests.factories import make_experiment, make_panel_experiment, make_user
from tests.people import browser_of
from tests.scale import ALL

PLAN: dict[str, Any] = {
    "components": [0.2, 0.3, 0.06, 0.06, 0.25],
    "scale": [1, 5, 1],
    "listeners": 24,
    "items": 20,
    "conditions": 4,
    "panels": 1,
    "difference": 0.3,
    "power": 0.8,
    "costs": {},
}


def told(*options: str) -> dict[str, Any]:
    out = StringIO()
    call_command("plan_study", "--json", *options, stdout=out)
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


def test_the_command_needs_no_database_and_is_repeatable() -> None:
    first = told("--source", "p835:SIG", "--rounds", "50", "--seed", "3")
    assert first == told("--source", "p835:SIG", "--rounds", "50", "--seed", "3")
    assert first["components"]["listener"] == pytest.approx(0.227)
    assert first["simulation"]["rounds"] == 50
    assert told("--residual", "0.5")["components"]["residual"] == 0.5
    out = StringIO()
    call_command("plan_study", stdout=out)
    assert "24 listeners x 20 items x 4 conditions" in out.getvalue()
    assert "power for 0.3: 52.5%, of a mean against a value 43.7%" in out.getvalue()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--source", "nothing:X"], "Known: acr:QUALITY"),
        (["--panels", "3"], "--items: "),
        (["--difference", "9"], "--difference: The scale goes from 1 to 5"),
        (["--mean", "7"], "--mean: "),
        (["--listeners", "many"], "--listeners: "),
        (["--setup-min", "90"], "--longest-min: "),
        (
            ["--listener", "0.2", "--listener-condition", "0", "--item-condition", "0", "--residual", "0"],
            "--residual: .* nothing else is left in a difference",
        ),
        (["--experiment", "pilot"], "--scale"),
    ],
)
def test_the_command_says_what_is_wrong(options: list[str], said: str) -> None:
    with pytest.raises(CommandError, match=said):
        told(*options)


def test_items_of_every_table_are_shared_out_among_the_panels() -> None:
    plan = plan_study(**PLAN | {"panels": 4, "listeners": 32, "items": 40})
    assert {row["items"] % 4 for row in plan["listeners_needed"]} == {0}
    assert [curve["items"] for curve in plan["curves"]] == [20, 40, 80, 160]
    assert plan["design"]["votes_per_condition"] == 320


def component_rows(variances: dict[str, float], **dropped: str) -> list[dict[str, Any]]:
    return [
        {"scale": "QUALITY", "component": name, "variance": value, "dropped": dropped.get(name, "")}
        for name, value in variances.items()
    ]


@pytest.mark.django_db
@pytest.mark.parametrize("reason", ["", "zero", "fixed", "same", "error"])
def test_a_pilot_in_which_a_component_could_not_be_estimated_is_not_offered(reason: str) -> None:
    variances = VarianceComponents(0.1, 0.0, 0.3, 0.4, 0.5)
    table = {"components": component_rows(variances._asdict(), item=reason)}
    Result.objects.create(experiment=make_experiment(), method="mos", method_version="1", vote_count=9, table=table)
    offered = [source.components for source in pilot_sources(None).values()]
    assert offered == ([variances] if reason in ("", "zero") else [])


@pytest.mark.django_db
def test_the_page_plans_from_published_votes_and_from_a_pilot() -> None:
    experiment = make_experiment()
    variances = VarianceComponents(0.1, 0.2, 0.3, 0.4, 0.5)._asdict()
    table = {"components": component_rows(variances)}
    Result.objects.create(experiment=experiment, method="mos", method_version="1", vote_count=9, table=table)
    browser = browser_of(experiment.owner)
    usual = browser.get(reverse("analysis:plan_study")).content.decode()
    assert "24 listeners who rate 20 items under 4 conditions" in usual
    assert f"pilot:{experiment.slug}:QUALITY" in usual
    asked = {"source": f"pilot:{experiment.slug}:QUALITY", "difference": "0.5", "simulate": "on"}
    page = browser.get(reverse("analysis:plan_study"), asked)
    assert page.context["plan"]["components"] == variances
    assert "simulated studies" in page.content.decode()
    assert told("--experiment", experiment.slug, "--scale", "QUALITY")["components"] == variances
    stranger = browser_of(make_user(name="stranger")).get(reverse("analysis:plan_study"), asked)
    assert stranger.status_code == 400
    assert experiment.title not in stranger.content.decode()


@pytest.mark.django_db
def test_planning_and_the_report_on_a_design_assume_the_same_variances(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, Any] = {}

    def noted(_layout: Any, **assumed: Any) -> list[Any]:
        asked.update(assumed)
        return []

    monkeypatch.setattr(designs, "design_report", noted)
    wanted = DesignRequest(panels=2, seats=2, size=4, factors=("session",), sessions=2)
    designs.draft_design(experiment=make_panel_experiment(), wanted=wanted)
    assert asked["components"].keys() == {"SIG", "BAK", "OVRL"}
    for key, components in asked["components"].items():
        assert published_sources()[f"p835:{key}"].components is components
    plan = told("--source", "p835:OVRL", "--listeners", "24", "--items", "20", "--difference", "0.3")
    assert plan["design"]["difference"]["power"] == pytest.approx(0.52, abs=0.005)


@pytest.mark.django_db
def test_the_page_says_beside_the_field_what_is_wrong() -> None:
    page = browser_of(make_user()).get(reverse("analysis:plan_study"), {"panels": "3", "listeners": "24"})
    assert page.status_code == 400
    assert "take a multiple of 3" in page.content.decode()
    assert page.context["form"].errors.keys() == {"items"}
    assert "plan" not in page.context


@pytest.mark.django_db
@pytest.mark.usefixtures("unconfined")
def test_figures_and_table_of_a_plan_are_files_of_the_same_address() -> None:
    browser = browser_of(make_user())
    asked = {"difference": "0.5", "conditions": "3"}
    page = browser.get(reverse("analysis:plan_study"), asked)
    links = [unescape(link) for link in re.findall(r'href="(/plan-study/files/[^"]*)"', page.content.decode())]
    drawn = ("svg", "png", "pdf") if can_draw() else ("svg",)
    figures = [f"{name}.{ending}" for name in ("power", "half-width") for ending in drawn]
    tables = [f"table-listeners-needed.{ending}" for ending in ("csv", "tex", "md", "xlsx")]
    assert [link.partition("?")[0].rpartition("/")[2] for link in links] == figures + tables
    in_short = [link for link in links if "half-width.p" not in link]  # the other figure is drawn in every form
    for link in links if ALL else in_short:
        answer = browser.get(link)
        assert answer.status_code == 200, link
        assert answer.headers["Content-Disposition"].startswith('attachment; filename="study-plan-')
        if ".svg" in link:
            assert answer.content.decode() in page.content.decode(), "the figure of the page"
        if ".csv" in link:
            rows = list(csv.DictReader(StringIO(answer.content.decode())))
            wanted = page.context["plan"]["listeners_needed"]
            assert [int(row["items"]) for row in rows] == [row["items"] for row in wanted]
    wrong = browser.get(f"{reverse('analysis:plan_study')}files/power.svg", {"panels": "3"})
    assert wrong.headers["Location"] == f"{reverse('analysis:plan_study')}?panels=3"
