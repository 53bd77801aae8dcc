"""The report of chapters: figures, tables and files of an experiment, under letters until it is unblinded."""

import csv
import io
import json
from typing import Any
from xml.etree import ElementTree

import pytest
from django.test import Client

from analysis.services.results import read_result
from listening.panels.services.exclusions import Target, exclude
from protocols.chaptering.analysis.evaluation import Measures
from protocols.chaptering.analysis.samples import TextFormat, read_samples
from protocols.chaptering.report import ChaptersReport
from rating.models import Experiment
from rating.services.experiments import unblind
from stimuli.models import Condition
from stimuli.services.collections import add_stimulus, add_text, create_collection
from tests.analysis.dataset_material import files_of, packed
from tests.analysis.p835_material import refresh
from tests.factories import event, make_experiment, make_user, sit_down, tone

pytestmark = pytest.mark.django_db

SECRETS = ("secretgood", "secretbad", "secrettruth")
DURATION_S = 60
TOLD = {
    "secrettruth": [[0, "Birds"], [20, "Rain"], [40, "Night"]],
    "secretgood": [[20.5, "Rain"], [40.5, "Night"]],
    "secretbad": [[9, "Something"]],
}
Result = dict[str, Any]


@pytest.fixture(scope="module")
def shared_experiment(module_db: None) -> Experiment:
    """One recording with a reference and two systems, divided by two people."""
    owner = make_user()
    collection = create_collection(owner=owner, slug="recordings", title="Recordings")
    add_stimulus(collection=collection, item="talk", condition="sound", content=tone(300, duration_s=DURATION_S))
    for condition, chapters in TOLD.items():
        role = Condition.Role.REFERENCE if condition == "secrettruth" else Condition.Role.TEST
        text = {"kind": "chapters", "text": "", "tokens": None, "chapters": chapters}
        add_text(collection=collection, item="talk", condition=condition, text=text, role=role)
    made = make_experiment(owner, collection=collection, protocol="chaptering", seats=2)
    divide(made, 19.0, 42.5)
    divide(made, 30.0)
    refresh()
    return made


def divide(experiment: Experiment, *boundaries_s: float) -> None:
    sitting = sit_down(experiment)
    page = sitting.upcoming()["trials"][0]
    boundaries = [{"at_s": at_s, "title": f"Part at {at_s:g}"} for at_s in boundaries_s]
    payload = {"boundaries": boundaries, "opening": "<b>Opening</b>", "finished": True}
    heard = {"plays": 1, "heard_ms": 450}
    assert sitting.vote(event(page["trial"], payload=payload, heard=heard)).status_code == 200


def result_of(experiment: Experiment) -> Result:
    return read_result(experiment=experiment, slug="chaptering", simulated=False, long=True)


def context(experiment: Experiment, **asked: str) -> Result:
    return ChaptersReport().context(experiment, result_of(experiment), asked)


def made(experiment: Experiment, name: str, **asked: str) -> str:
    return "".join(map(str, ChaptersReport.files[name].make(experiment, result_of(experiment), asked)))


def test_a_blind_page_shows_letters_and_an_open_one_names(client: Client, experiment: Experiment) -> None:
    client.force_login(experiment.owner)
    address = f"/experiments/{experiment.slug}/results/"
    blind = client.get(address).content.decode()
    assert not [secret for secret in SECRETS if secret in blind]
    assert "<b>Opening</b>" not in blind
    unblind(experiment=experiment, actor=experiment.owner, reason="test")
    shown = client.get(address, {"metric": "pk", "against": "people", "recording": "talk"}).content.decode()
    assert all(name in shown for name in ("secretgood", "secretbad"))
    assert '<option value="pk" selected>' in shown


def test_no_blind_download_names_a_condition(experiment: Experiment) -> None:
    for name in ChaptersReport.files:
        assert not [secret for secret in SECRETS if secret in made(experiment, name)]


def test_the_lines_of_the_export_are_what_the_evaluator_reads(experiment: Experiment) -> None:
    opened = unblind(experiment=experiment, actor=experiment.owner, reason="test")
    lines = [json.loads(line) for line in made(opened, "chapters.jsonl").splitlines()]
    assert [line["condition"] or line["annotator"] for line in lines] == ["secretbad", "secretgood", 1, 2]
    assert lines[2]["hypothesis"] == [19.0, 42.5]
    assert lines[2]["hyp_titles"][1] == ["Part at 19", 19.0]
    assert {tuple(line["reference"]) for line in lines} == {(20.0, 40.0)}
    written = made(opened, "chapters.jsonl").encode().splitlines()
    reading = read_samples(written, file="chapters.jsonl", measures=Measures(), text_format=TextFormat())
    assert len(reading.samples) == 4


def test_every_chapter_is_a_row_with_its_ends(experiment: Experiment) -> None:
    header, *rows = made(experiment, "boundaries.csv").splitlines()
    assert header == "item,kind,annotator,condition,chapter,start_s,end_s,title,duration_s"
    assert rows[1].startswith("talk,reference,,,2,20.0,40.0,Rain,")
    assert len(rows) == 3 + 3 + 2 + 3 + 2


def test_the_timeline_has_a_tick_for_every_boundary_and_says_them_in_words(experiment: Experiment) -> None:
    drawing = ElementTree.fromstring(made(experiment, "chapters-timeline.svg"))  # noqa: S314 - our own
    names = [text.text for text in drawing.iter("{http://www.w3.org/2000/svg}text")]
    assert "Reference" in names
    assert names.index("Reference") < names.index("Annotator\N{NO-BREAK SPACE}1")
    ticks = list(drawing.iter("{http://www.w3.org/2000/svg}rect"))
    assert len(ticks) == 2 + 2 + 1 + 2 + 1
    description = drawing.findtext("{http://www.w3.org/2000/svg}desc") or ""
    assert "Annotator\N{NO-BREAK SPACE}1: 0:19.0, 0:42.5" in description


def test_the_reader_chooses_metric_and_side_and_nonsense_falls_back(experiment: Experiment) -> None:
    usual = context(experiment)
    assert (usual["asked"].metric, usual["asked"].against) == ("collar_f1", "reference")
    chosen = context(experiment, metric="pk", against="people", recording="talk")
    assert (chosen["asked"].metric, chosen["asked"].against) == ("pk", "people")
    assert context(experiment, metric="x", against="y", recording="z")["asked"].query() == usual["asked"].query()
    assert "Pk (share of disagreeing windows, 0 to 1; lower is better)" in chosen["intervals"]


def test_tables_hold_everybody_and_each_two_systems_once(experiment: Experiment) -> None:
    opened = unblind(experiment=experiment, actor=experiment.owner, reason="test")
    report = context(opened)
    assert [line.cells[0].text for line in report["overview"].lines][:2] == ["secretbad", "secretgood"]
    pairs = {line.cells[1].text for line in report["differences"].lines}
    assert pairs == {"secretbad − secretgood"}
    assert "too few recordings" in report["differences"].note
    assert [table.id for table in report["more"]] == ["pairs", "people", "metrics", "by-recording"]


def test_without_answers_the_page_says_so(client: Client) -> None:
    experiment = make_experiment(protocol="chaptering", seats=1)
    client.force_login(experiment.owner)
    html = client.get(f"/experiments/{experiment.slug}/results/").content.decode()
    assert "No answers yet." in html


def test_the_anonymous_dataset_has_boundaries_and_no_titles_that_people_typed(experiment: Experiment) -> None:
    opened = unblind(experiment=experiment, actor=experiment.owner, reason="test")
    files = files_of(packed(opened, anonymous=True, k=2))
    assert b"42.5" in files["results/boundaries.csv"]
    assert b"Night" in files["results/boundaries.csv"]
    assert not [name for name, text in files.items() if b"Part at" in text or b"Opening" in text]


def test_files_are_made_of_the_answers_that_count(experiment: Experiment) -> None:
    exclude(experiment=experiment, actor=experiment.owner, target=Target(listener="sub-0002"), reason="asleep")
    refresh()
    lines = [json.loads(line) for line in made(experiment, "chapters.jsonl").splitlines()]
    assert {line["annotator"] for line in lines if line["kind"] == "person"} == {1}
    rows = csv.DictReader(io.StringIO(made(experiment, "boundaries.csv")))
    assert {row["annotator"] for row in rows if row["kind"] == "person"} == {"1"}
    assert "Annotator\N{NO-BREAK SPACE}2" not in made(experiment, "chapters-timeline.svg")
