"""The plane on the page of results and in files: what is shown to whom, every move, and no name before unblinding."""

import csv
import io
import json
import zipfile
from copy import deepcopy
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

import pytest
from django.test import Client

from analysis.services.results import read_result
from rating.models import Experiment, Trial
from rating.services.experiments import unblind
from tests.analysis.p835_material import refresh
from tests.factories import seated_visit
from tests.protocols.tcsd_plane.material import (
    PLACES,
    RECORDINGS,
    SECRETS,
    crosses_of,
    moves_to,
    plane_experiment,
    rate,
    send,
)

pytestmark = pytest.mark.django_db

FILES = ("placements.csv", "authors_sheet.csv", "notes.csv", "plane.svg")
OPEN_ONLY = ("trade_off", "families", "curves")


@pytest.fixture(scope="module")
def shared_experiment(module_db: None) -> Experiment:
    made = plane_experiment(seats=2)
    rate(made)
    rate(made, shift=0.1)
    refresh()
    return made


@pytest.fixture(scope="module")
def shared_unanswered(module_db: None) -> Experiment:
    return plane_experiment(seats=1)


@pytest.fixture
def unanswered(shared_unanswered: Experiment) -> Experiment:
    """An experiment of one seat in which nobody has answered yet."""
    return deepcopy(shared_unanswered)


def open_up(experiment: Experiment) -> Experiment:
    return unblind(experiment=experiment, actor=experiment.owner, reason="test")


def content(client: Client, experiment: Experiment, name: str) -> bytes:
    client.force_login(experiment.owner)
    response = client.get(f"/api/v1/experiments/{experiment.slug}/{name}")
    if response.status_code == 409 and response.json()["code"] == "download.no_rows":
        return b""
    assert response.status_code == 200, name
    return b"".join(response) if response.streaming else response.content


def rows(client: Client, experiment: Experiment, name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content(client, experiment, f"results/tcsd_plane/files/{name}").decode())))


def page(client: Client, experiment: Experiment, **choices: str) -> str:
    client.force_login(experiment.owner)
    response = client.get(f"/experiments/{experiment.slug}/results/?{urlencode(choices)}")
    assert response.status_code == 200
    return response.content.decode()


def opened(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name.partition("/")[2]: archive.read(name) for name in archive.namelist()}


def test_what_tells_conditions_apart_waits_for_unblinding(client: Client, experiment: Experiment) -> None:
    blind = read_result(experiment=experiment, slug="tcsd_plane", simulated=False)["table"]
    assert not blind.keys() & set(OPEN_ONLY)
    open_table = read_result(experiment=open_up(experiment), slug="tcsd_plane", simulated=False)["table"]
    assert all(open_table[name] for name in OPEN_ONLY)


def test_no_byte_names_a_condition_or_a_family_before_unblinding(client: Client, experiment: Experiment) -> None:
    def everything() -> dict[str, bytes]:
        api = {name: content(client, experiment, f"results/tcsd_plane/files/{name}") for name in FILES}
        api |= {name: content(client, experiment, name) for name in ("results/tcsd_plane/", "results/tcsd_plane.csv")}
        pages = {str(choice): page(client, experiment, **choice).encode() for choice in ({}, {"recording": "ferry"})}
        return api | pages | opened(content(client, experiment, "dataset.zip"))

    told = everything()
    assert not [(name, word) for name, text in told.items() for word in SECRETS if word.encode() in text]
    experiment = open_up(experiment)
    named = {name for name, text in everything().items() if b"secretgreedy 0" in text}
    assert named >= {
        "placements.csv",
        "authors_sheet.csv",
        "plane.svg",
        "results/tcsd_plane/",
        "results/plane-1.svg",
        "{}",
    }


def test_the_page_shows_all_recordings_or_one(client: Client, experiment: Experiment) -> None:
    everything = page(client, experiment)
    assert everything.count('class="figure figure--plane"') == 1
    assert "12 marks of 2 raters" in everything
    one = page(client, experiment, recording="market")
    assert "6 marks of 2 raters" in one
    assert "<title>TC/SD plane, recording market</title>" in one
    assert "12 marks of 2 raters" in page(client, experiment, recording="nowhere", ellipse="odd")


def test_choices_keep_one_another(client: Client, experiment: Experiment) -> None:
    last = read_result(experiment=experiment, slug="tcsd_plane", simulated=False)["table"]["rows"][-1]["condition"]
    html = page(client, experiment, recording="market", ellipse="none", against=last)
    assert f'href="?recording=ferry&amp;ellipse=none&amp;against={last}"' in html
    assert f'href="?recording=market&amp;against={last}"' in html  # the usual ellipse needs no word
    assert f"<option selected>{last}</option>" in html


def test_an_ellipse_of_the_mean_is_refused_with_its_reason(client: Client, experiment: Experiment) -> None:
    reason = "needs at least 5 raters, and there are 2"
    assert reason in page(client, experiment, ellipse="mean")
    assert reason not in page(client, experiment)


def test_every_table_is_there_and_says_what_it_counts(client: Client, experiment: Experiment) -> None:
    html = page(client, open_up(experiment))
    for part in ("marks", "recordings", "conditions-marks", "trade-off", "families", "raters", "standardised"):
        assert f'id="{part}"' in html, part
    for said in ("n is the number of raters", "Friedman", "Holm", "ICC(A,1)", "its level is interval", "t interval"):
        assert said in html, said
    blocks_are_not_independent = (
        "in 23 to 55 of 100 studies, not in 5",
        "in 12 to 24 of 100 studies before",
    )
    for said in blocks_are_not_independent:
        assert said in html, said
    assert "There are 2 raters." in html
    assert "With 4 blocks and 3 pairs no adjusted p can be below 0.375" in html
    assert "2 raters placed the summaries of 2 recordings under 3 conditions" in html
    assert "0.80 / 0.20" in html  # a mark in the table of marks


def test_incomplete_blocks_are_told(client: Client) -> None:
    made = plane_experiment(seats=2)
    rate(made)
    rate(made, pages=1)
    refresh()
    html = page(client, made)
    assert "3 of 6 summaries were not placed by every rater" in html
    assert "blocks of rater and recording are incomplete" not in html  # one recording fewer is no incomplete block


def test_before_the_first_answer_the_page_says_so(client: Client, unanswered: Experiment) -> None:
    html = page(client, unanswered)
    assert "No answers yet." in html
    assert "<svg" not in html.partition("data-results")[2].partition('id="downloads"')[0]


def worked_on(experiment: Experiment) -> Trial:
    """A page with a change of mind, a way back to the tray, a second device, notes and a whole answer."""
    ballot = seated_visit(experiment).seat.ballot
    trial: Trial = ballot.trials.order_by("position")[0]
    final = crosses_of(trial, 0.0)
    tried = {"s1": {"tc": 0.11, "sd": 0.22, "decided": False}}
    clock = {"wall": "2026-03-01T10:00:05.000Z", "monotonic_ms": 9000, "counter": 1}
    plays = {"listened": {"full": [], "plays": {"s1": 2}, "probes": []}}
    first = {"crosses": tried, "moves": moves_to(tried, at_ms=4000), **plays}
    assert send(trial, first, clock=clock) == "stored"
    tray = moves_to(tried, to=None, input="keys", numbers=True)
    assert send(trial, {"crosses": {}, "moves": tray}, revision=1) == "stored"
    written = {
        "sources": ["gulls", "rain"],
        "hours": [{"hour": 7, "present": ["gulls", "rain"], "note": "louder"}],
        "comment": "A quiet day.",
        "lines": {"s2": "mostly rain"},
    }
    moved = {slot: cross for slot, cross in final.items() if slot != "s3"}  # the third arrives without a move
    whole = {"crosses": final, "moves": moves_to(moved), **written, "finished": True}
    assert send(trial, whole, revision=2) == "stored"
    late = {"crosses": final, "moves": moves_to({"s1": final["s1"]}, input="range")}
    assert send(trial, late, revision=1) == "conflict"
    return trial


def test_the_file_of_placements_holds_every_move_in_order(client: Client, unanswered: Experiment) -> None:
    trial = worked_on(unanswered)
    found = rows(client, unanswered, "placements.csv")
    assert [(row["seq"], row["summary"], row["status"], row["input"], row["revision"]) for row in found] == [
        ("1", "1", "tentative", "pointer", "1"),
        ("2", "1", "tray", "keys", "2"),
        ("3", "1", "final", "pointer", "3"),
        ("4", "2", "final", "pointer", "3"),
        ("5", "1", "final", "range", ""),  # another device had been faster
        ("6", "3", "final", "", "3"),
    ]
    assert [row["seq"] for row in found if row["counts"] == "true"] == ["3", "4", "6"]
    first, tray = found[0], found[1]
    assert (first["tc"], first["sd"], first["plays"], first["plane_px"]) == ("0.11", "0.22", "2", "560")
    assert (first["moved_at"], first["numbers_visible"]) == ("2026-03-01T10:00:00.000000Z", "false")
    assert (tray["tc"], tray["sd"], tray["moved_at"], tray["numbers_visible"]) == ("", "", "", "true")
    assert datetime.fromisoformat(first["received_at"]).tzinfo is not None
    assert {(row["subject_id"], row["row_type"]) for row in found} == {("sub-0001", "main")}
    marks = {f"s{row['summary']}": (float(row["tc"]), float(row["sd"])) for row in found if row["counts"] == "true"}
    assert marks == {slot: (cross["tc"], cross["sd"]) for slot, cross in crosses_of(trial, 0.0).items()}


def test_a_page_that_is_not_closed_has_moves_and_no_marks(client: Client, unanswered: Experiment) -> None:
    made = unanswered
    trial = seated_visit(made).seat.ballot.trials.order_by("position")[0]
    crosses: dict[str, Any] = crosses_of(trial, 0.0)
    send(trial, {"crosses": crosses, "moves": moves_to(crosses)})
    assert [row["counts"] for row in rows(client, made, "placements.csv")] == ["false"] * 3
    assert rows(client, made, "authors_sheet.csv") == []


def test_the_study_s_own_sheet_has_every_mark_under_its_words(client: Client, experiment: Experiment) -> None:
    found = rows(client, open_up(experiment), "authors_sheet.csv")
    study = ["annotator_id", "condition", "dataset", "file_id", "faithfulness", "scenism"]
    assert list(found[0]) == [*study, "excluded", "exclusion_reason"]
    marks = {
        (row["annotator_id"], row["condition"], row["dataset"]): (float(row["faithfulness"]), float(row["scenism"]))
        for row in found
    }
    assert marks == {
        (f"sub-{rater:04d}", condition, recording): (round(tc + shift, 4), round(sd - shift, 4))
        for rater, shift in ((1, 0.0), (2, 0.1))
        for condition, (tc, sd) in PLACES.items()
        for recording in RECORDINGS
    }
    assert {row["file_id"] for row in found} == {"1", "2", "3"}


def test_what_raters_wrote_is_in_the_file_of_notes(client: Client, unanswered: Experiment) -> None:
    worked_on(unanswered)
    told = [
        (row["about"], row["hour"], row["summary"], row["sources"], row["text"])
        for row in rows(client, unanswered, "notes.csv")
    ]
    assert told == [
        ("source", "", "", "", "gulls"),
        ("source", "", "", "", "rain"),
        ("hour", "7", "", "gulls; rain", "louder"),
        ("comment", "", "", "", "A quiet day."),
        ("summary", "", "2", "", "mostly rain"),
    ]


def test_the_dataset_holds_a_picture_of_each_recording_and_a_dictionary(client: Client, experiment: Experiment) -> None:
    files = opened(content(client, experiment, "dataset.zip"))
    for number, recording in enumerate(RECORDINGS, start=1):
        assert f"<title>TC/SD plane, recording {recording}</title>".encode() in files[f"results/plane-{number}.svg"]
    meanings = json.loads(files["results/placements.json"])["variableMeasured"]
    assert list(meanings) == files["results/placements.csv"].decode().splitlines()[0].split(",")


def test_the_picture_is_served_as_one(client: Client, experiment: Experiment) -> None:
    client.force_login(experiment.owner)
    response = client.get(f"/api/v1/experiments/{experiment.slug}/results/tcsd_plane/files/plane.svg?recording=ferry")
    assert response["Content-Type"] == "image/svg+xml"
    assert b"recording ferry" in b"".join(response)
