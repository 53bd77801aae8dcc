"""The page of results: what it shows to whom, and that it tells nobody which condition is which."""

import csv
import io
import json
import re
from copy import deepcopy
from html import unescape
from typing import Any
from urllib.parse import urlencode

import pytest
from django.test import Client
from openpyxl import load_workbook

from analysis.reports.mos import UNIT_TABLES
from analysis.services.results import read_result
from rating.models import Experiment
from rating.services.experiments import close, unblind
from tests.analysis.p835_material import CONDITIONS, SECRETS, listen, p835_experiment, refresh
from tests.factories import make_experiment, sit_down
from tests.scale import ALL

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def shared_experiment(module_db: None) -> Experiment:
    made = p835_experiment(seats=2)
    listen(made)
    listen(made, shift=1)
    refresh()
    return made


@pytest.fixture(scope="module")
def shared_unanswered(module_db: None) -> Experiment:
    return make_experiment(seats=1)


@pytest.fixture
def unanswered(shared_unanswered: Experiment) -> Experiment:
    """An experiment of one seat and one scale in which nobody has answered yet."""
    return deepcopy(shared_unanswered)


def page(client: Client, experiment: Experiment, **choices: str) -> str:
    client.force_login(experiment.owner)
    response = client.get(f"/experiments/{experiment.slug}/results/?{urlencode(choices)}")
    assert response.status_code == 200
    return response.content.decode()


def cells(html: str) -> list[list[str]]:
    """The rows of the table of means."""
    table = html.partition("data-result-table")[2].partition("</table>")[0]
    return [re.findall(r"<td[^>]*>([^<]*)</td>", line) for line in re.findall(r"<tr[^>]*>(.*?)</tr>", table)][1:]


def plot(html: str) -> dict[str, Any]:
    """What the plot is drawn from."""
    found: dict[str, Any] = json.loads(
        html.partition('id="result-plot"')[2].partition(">")[2].partition("</script>")[0]
    )
    return found


def test_a_blind_page_names_no_condition_and_no_baseline(client: Client, experiment: Experiment) -> None:
    html = page(client, experiment)
    assert not [secret for secret in SECRETS if secret in html]
    assert re.search(r"<option selected>([A-Z])</option>", html)
    shown = read_result(experiment=experiment, slug="mos", simulated=False, long=True)["table"]
    assert shown["baseline"] is None
    assert {row["against"] for row in shown["differences"]} == {row["condition"] for row in shown["differences"]}


def test_an_open_page_compares_with_the_unprocessed_condition_first(client: Client, experiment: Experiment) -> None:
    opened = unblind(experiment=experiment, actor=experiment.owner, reason="test")
    html = page(client, opened)
    assert "<option selected>secretenhanced</option>" in html  # the first by name, none being called C0
    assert "<option selected>secretother</option>" in page(client, opened, against="secretother")
    assert all(name in html for name in CONDITIONS)


def test_the_reader_chooses_what_the_interval_is_over(client: Client, experiment: Experiment) -> None:
    tables = read_result(experiment=experiment, slug="mos", simulated=False)["table"]
    scale = {} if ALL else {"scale": "BAK"}  # a smaller page; all scales are in order on the page of the next test
    seen = set()
    for unit in ("listener", "item", "two-way", "vote", "vote-1.96"):
        wanted = [
            [
                *(row["condition"], row["scale"], "2", "6", "3", f"{row['mos']:.2f}"),
                *([f"{row['sd']:.2f}"] if "sd" in row else []),
                between(row),
            ]
            for row in tables[UNIT_TABLES[unit]]
            if row["scale"] in scale.values() or not scale
        ]
        assert wanted
        assert cells(page(client, experiment, unit=unit, **scale)) == wanted
        seen.add(str(wanted))
    assert len(seen) == 5


def between(row: dict[str, float]) -> str:
    return f"{row['ci_low']:.2f} – {row['ci_high']:.2f}".replace("-", "−")


def test_the_model_comes_first_with_the_interval_over_listeners_beside_it(
    client: Client, experiment: Experiment
) -> None:
    tables = read_result(experiment=experiment, slug="mos", simulated=False)["table"]
    html = page(client, experiment)
    shown = cells(html)
    assert len(shown) == 9
    for line, model, over in zip(shown, tables["model_level"], tables["rows"], strict=True):
        assert line[:2] == [model["condition"], model["scale"]] == [over["condition"], over["scale"]]
        assert line[2:5] == [f"{model['mos']:.2f}", between(model), model["letters"]]
        assert line[5:7] == [f"{over['mos']:.2f}", between(over)]
    assert plot(html)["rows"] == tables["model_level"]
    assert [scale["key"] for scale in plot(html)["scales"]] == ["SIG", "BAK", "OVRL"]
    only = [row for row in tables["rows"] if row["scale"] == "BAK"]
    assert plot(page(client, experiment, unit="listener", scale="BAK"))["rows"] == only
    assert "Bars: 95 % CI (Mixed model)." in html
    assert "listener, item, listener × condition and item × condition random" in html


def test_differences_are_to_a_chosen_condition_and_judged_by_a_margin(client: Client, experiment: Experiment) -> None:
    tables = read_result(experiment=experiment, slug="mos", simulated=False)["table"]
    compared = [row for row in tables["contrasts"] if row["against"] == "B" and row["scale"] == "SIG"]
    assert len(compared) == 2
    within = max(abs(row[end]) for row in compared for end in ("ci90_low", "ci90_high"))
    wide = page(client, experiment, against="B", scale="SIG", margin=f"{within + 0.1:.3f}")
    narrow = page(client, experiment, against="B", scale="SIG", margin="0,001")
    for html, judged in ((wide, "yes"), (narrow, "not shown")):
        lines = rows_of(html, "Differences by the mixed model, with p after Holm over the differences")
        assert [line[0] for line in lines] == [row["condition"] for row in compared]
        assert {line[-1] for line in lines} == {judged}
    assert "such as 0.2" in page(client, experiment, margin="-1")
    assert "such as 0.2" not in wide


def rows_of(html: str, caption: str) -> list[list[str]]:
    """The rows of the table under this caption."""
    table = html.partition(caption)[2].partition("</table>")[0].partition("<tbody>")[2]
    return [re.findall(r"<td[^>]*>([^<]*)</td>", line) for line in re.findall(r"<tr[^>]*>(.*?)</tr>", table)]


def test_scales_come_in_the_order_of_the_protocol_and_can_be_looked_at_singly(
    client: Client, experiment: Experiment
) -> None:
    scales = [line[1] for line in cells(page(client, experiment))]
    assert scales == ["SIG"] * 3 + ["BAK"] * 3 + ["OVRL"] * 3
    assert {line[1] for line in cells(page(client, experiment, scale="BAK"))} == {"BAK"}
    assert len(cells(page(client, experiment, scale="nonsense", unit="nonsense"))) == 9


def test_every_part_is_there_and_few_answers_are_grey(client: Client, experiment: Experiment) -> None:
    html = page(client, experiment)
    for part in ("pairs", "differences-listeners", "tests", "pair-tests", "agreement", "components"):
        assert f'id="{part}"' in html, part
    for part in ("panels", "factors", "distribution", "orders", "positions", "sessions", "items", "practice"):
        assert f'id="{part}"' in html, part
    items = html.partition('id="items"')[2].partition("</details>")[0]
    assert items.count('class="is-muted"') == 27  # two answers a clip
    assert "fewer answers than planned" not in html  # two seats were planned, and both have answered
    assert "2 listeners rated 3 items under 3 conditions" in html


def test_a_test_with_one_scale_has_the_same_page_without_a_choice_of_scales(
    client: Client, unanswered: Experiment
) -> None:
    html = page(client, unanswered)
    assert "No answers yet." in html
    assert 'id="scale-all"' not in html
    assert 'id="unit-listener"' in html


def test_long_tables_come_in_pages(client: Client, experiment: Experiment, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("analysis.reports.mos.ITEMS_A_PAGE", 10)
    monkeypatch.setattr("analysis.services.results.ITEMS_A_PAGE", 10)
    assert "Page 3 of 3, 27 rows" in page(client, experiment, items_page="9")
    address = f"/api/v1/experiments/{experiment.slug}/results/mos/items/"
    pages = [client.get(address, {"page": number}).json() for number in (1, 2, 3)]
    assert [len(each["rows"]) for each in pages] == [10, 10, 7]
    assert {each["total"] for each in pages} == {27}
    assert client.get(address, {"scale": "SIG", "page": "x"}).json()["total"] == 9
    assert "items" not in client.get(f"/api/v1/experiments/{experiment.slug}/results/mos/").json()["table"]


def test_every_table_of_the_page_can_be_downloaded_in_four_forms(client: Client, experiment: Experiment) -> None:
    html = page(client, experiment, scale="BAK")
    links = [unescape(link) for link in re.findall(r'href="(/api/[^"]*/files/table-[^"]*)"', html)]
    assert len(links) == len(set(links)) == 4 * html.count("<caption")
    assert {link.partition("?")[0].rpartition(".")[2] for link in links} == {"csv", "tex", "md", "xlsx"}
    in_turn = [links[4 * table + table % 4] for table in range(0, len(links) // 4, 3)]
    for link in links if ALL else in_turn:  # every form of every table, or of every third table another form
        response = client.get(link)
        assert response.status_code == 200, link
        content = b"".join(response)
        text = sheet_text(content) if ".xlsx" in link else content.decode()
        assert "BAK" in text, link
        assert "OVRL" not in text.replace("SIG-BAK-OVRL", "").replace("BAK-SIG-OVRL", ""), link
        assert not [secret for secret in SECRETS if secret in text]


def test_all_scales_stand_in_columns_with_one_row_for_each_condition(client: Client, experiment: Experiment) -> None:
    html = page(client, experiment)
    tables = read_result(experiment=experiment, slug="mos", simulated=False)["table"]
    found = {(row["condition"], row["scale"]): row for row in tables["model_level"]}
    address = f"/api/v1/experiments/{experiment.slug}/results/mos/files/table-all-scales"
    assert all(f"{address}.{ending}" in html for ending in ("csv", "tex", "md", "xlsx"))
    rows = list(csv.DictReader(io.StringIO(b"".join(client.get(f"{address}.csv")).decode())))
    assert [row["condition"] for row in rows] == list(dict.fromkeys(condition for condition, _scale in found))
    for row in rows:
        for scale in ("SIG", "BAK", "OVRL"):
            for name in ("mos", "ci_low", "ci_high"):
                assert float(row[f"{scale}_{name}"]) == found[row["condition"], scale][name]
    assert "table-all-scales" not in page(client, experiment, scale="BAK")


def sheet_text(content: bytes) -> str:
    sheet = load_workbook(io.BytesIO(content)).active
    return "\n".join(str(row) for row in sheet.iter_rows(values_only=True))


def test_the_figure_and_the_tables_of_the_model_are_files(client: Client, experiment: Experiment) -> None:
    client.force_login(experiment.owner)
    tables = read_result(experiment=experiment, slug="mos", simulated=False)["table"]

    def file(name: str) -> str:
        return b"".join(client.get(f"/api/v1/experiments/{experiment.slug}/results/mos/files/{name}")).decode()

    model = list(csv.DictReader(io.StringIO(file("model.csv"))))
    assert [(row["condition"], float(row["mos"]), row["letters"]) for row in model] == [
        (row["condition"], row["mos"], row["letters"]) for row in tables["model_level"]
    ]
    assert len(list(csv.DictReader(io.StringIO(file("contrasts.csv"))))) == 3 * 6
    figure = file("mos.svg?scale=SIG")
    assert figure.startswith("<svg")
    assert "95 % CI (Mixed model)" in figure
    assert "BAK" not in figure
    assert not [secret for secret in SECRETS if secret in figure]


def test_a_long_table_is_downloaded_whole(
    client: Client, experiment: Experiment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("analysis.reports.mos.ITEMS_A_PAGE", 10)
    client.force_login(experiment.owner)
    response = client.get(f"/api/v1/experiments/{experiment.slug}/results/mos/files/table-items.csv")
    assert b"".join(response).count(b"\n") == 1 + 3 * 3 * 3


def test_a_table_that_is_not_on_the_page_is_refused_with_those_that_are(client: Client, experiment: Experiment) -> None:
    client.force_login(experiment.owner)
    for name in ("table-nothing.csv", "table-conditions.pdf"):
        response = client.get(f"/api/v1/experiments/{experiment.slug}/results/mos/files/{name}")
        assert (response.status_code, response.json()["code"]) == (404, "result.unknown_file")


def test_the_warning_of_few_answers_follows_the_number_that_was_planned() -> None:
    experiment = make_experiment(seats=3)
    for _ in range(2):
        sit_down(experiment).answer_all()
    refresh()
    found = read_result(experiment=experiment, slug="mos", simulated=False)["table"]["warnings"]
    assert {"code": "few_votes", "scale": "QUALITY", "cells": 4, "of": 4, "least": 2, "planned": 3} in found
    if not ALL:
        return  # that nothing is said of enough answers, test_every_part_is_there_and_few_answers_are_grey shows
    sit_down(experiment).answer_all()
    refresh()
    found = read_result(experiment=experiment, slug="mos", simulated=False)["table"]["warnings"]
    assert "few_votes" not in [each["code"] for each in found]


def test_the_reader_adjusts_the_model_for_what_varies(client: Client, experiment: Experiment) -> None:
    assert 'aria-label="Adjust the model for"' in page(client, experiment)
    html = page(client, experiment, adjust="order")
    assert html.count("The model is adjusted for order of the scales as fixed effects") >= 4  # and the methods text
    assert 'aria-current="true">Order of the scales<' in html
    assert not [secret for secret in SECRETS if secret in html]
    plain, adjusted = (
        read_result(experiment=experiment, slug="mos", simulated=False, adjust=each)["table"] for each in ("", "order")
    )
    assert [row["condition"] for row in plain["model_level"]] == [row["condition"] for row in adjusted["model_level"]]
    assert not [part for part in adjusted if part.startswith("adjusted_")], "pollers are given one model"
    address = f"/api/v1/experiments/{experiment.slug}/results/mos/"
    assert client.get(f"{address}?adjust=order").json()["table"]["model_level"] == adjusted["model_level"]
    lines = b"".join(client.get(f"{address}files/model.csv?adjust=order")).decode().splitlines()
    rows = list(csv.DictReader(lines))
    assert {row["adjusted_factors"] for row in rows} == {"order"}
    assert [float(row["mos"]) for row in rows] == [row["mos"] for row in adjusted["model_level"]]


def test_a_registered_adjustment_is_what_page_and_report_begin_with(client: Client, experiment: Experiment) -> None:
    plan: dict[str, Any] = {"scale": "OVRL", "against": "", "margin": None, "model": "mixed+order", "rules": {}}
    Experiment.objects.filter(pk=experiment.pk).update(analysis_plan=plan)
    html = page(client, experiment)
    assert 'aria-current="true">Order of the scales<' in html
    assert "Registered model, as registered: mixed model, adjusted for the order of the scales." in html
    assert 'aria-current="true">Nothing<' in page(client, experiment, adjust="none")
    report = client.get(f"/experiments/{experiment.slug}/report/").content.decode()
    assert "The model is adjusted for order of the scales" in report
    plan["model"] = "mixed+panel"
    Experiment.objects.filter(pk=experiment.pk).update(analysis_plan=plan)
    assert "Registered model, not available: mixed model, adjusted for panel." in page(client, experiment)


def test_unblinding_while_people_can_listen_asks_twice(client: Client, unanswered: Experiment) -> None:
    experiment = unanswered
    client.force_login(experiment.owner)
    address = f"/experiments/{experiment.slug}/unblind/"
    asked = client.post(address, {"reason": "curious"}, follow=True)
    experiment.refresh_from_db()
    assert experiment.unblinded_at is None
    html = asked.content.decode()
    assert "close the experiment first" in html
    assert 'value="curious"' in html
    client.post(address, {"reason": "curious", "confirmed": "1"})
    experiment.refresh_from_db()
    assert experiment.unblinded_at is not None


@pytest.mark.parametrize(("typed", "said"), [("x" * 600, "at most 500 characters"), (" ", "Say why")])
def test_a_reason_that_cannot_be_taken_is_kept_beside_what_is_wrong(
    client: Client, unanswered: Experiment, typed: str, said: str
) -> None:
    experiment = unanswered
    client.force_login(experiment.owner)
    answer = client.post(f"/experiments/{experiment.slug}/unblind/", {"reason": typed})
    assert answer.status_code == 400
    html = answer.content.decode()
    assert said in html
    assert re.search(rf'<input [^>]*value="{typed}"[^>]*aria-invalid="true"', html)
    assert 'aria-describedby="id_reason_error"' in html
    experiment.refresh_from_db()
    assert experiment.unblinded_at is None


def test_a_closed_experiment_is_unblinded_at_once(client: Client, unanswered: Experiment) -> None:
    experiment = unanswered
    close(experiment=experiment, actor=experiment.owner)
    client.force_login(experiment.owner)
    client.post(f"/experiments/{experiment.slug}/unblind/", {"reason": "done"})
    experiment.refresh_from_db()
    assert experiment.unblinded_at is not None
