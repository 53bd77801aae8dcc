"""The dataset: what its tables hold, blind until unblinded, the same bytes twice, and its anonymous edition."""

import csv
import io
import json
import re
import shutil
import subprocess
import zipfile
from copy import deepcopy
from itertools import pairwise
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import call_command
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from analysis.services.dataset.columns import REFERENCES
from analysis.services.results import read_result
from core.errors import AppError
from core.models import User
from listening.models import Extension, Invitation, SetupStep
from listening.panels.services.exclusions import Target, exclude, lift
from listening.panels.services.seats import reissue_seat
from listening.participation.services.reports import ReportEvent, receive_report
from rating.models import Experiment, Vote
from rating.services.editing import amend_texts
from rating.services.votes import cast_vote
from tests.analysis.dataset_material import eventful_experiment, files_of, named, packed, table
from tests.analysis.p835_material import SECRETS, refresh
from tests.factories import make_experiment, make_user, marks, seated_visit, vote_event
from tests.scale import ALL

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def shared_experiment(module_db: None) -> Experiment:
    return eventful_experiment()


@pytest.fixture(scope="module")
def files(shared_experiment: Experiment) -> dict[str, bytes]:
    """Packed once it was unblinded; for the tests it is blind again."""
    made = files_of(packed(named(deepcopy(shared_experiment))))
    Experiment.objects.filter(pk=shared_experiment.pk).update(unblinded_at=None)
    return made


@pytest.fixture(scope="module")
def blind(shared_experiment: Experiment, files: dict[str, bytes]) -> bytes:
    """Packed before anybody unblinds it."""
    return packed(Experiment.objects.get(pk=shared_experiment.pk))


def test_every_table_has_a_sidecar_with_its_columns_and_all_columns_are_described(files: dict[str, bytes]) -> None:
    about = json.loads(files["dataset_description.json"])
    described = {column["name"] for column in about["variableMeasured"]}
    tables = [name for name in files if name.startswith("data/") and name.endswith(".csv")]
    wanted = {"responses", "questionnaire", "stimuli", "labels", "texts", "interruptions", *REFERENCES}
    assert (
        {name.split("description-")[1].removesuffix("_data.csv") for name in tables} == wanted == set(about["tables"])
    )
    for name in tables:
        columns = files[name].decode().splitlines()[0].split(",")
        beside = json.loads(files[name.replace(".csv", ".json")])["variableMeasured"]
        assert [column["name"] for column in beside] == columns
        assert all(column["description"] for column in beside)
        assert set(columns) <= described
    for name in ("results/mos", "results/means", "results/model", "results/contrasts"):
        beside = json.loads(files[f"{name}.json"])["variableMeasured"]
        assert [column["name"] for column in beside] == files[f"{name}.csv"].decode().splitlines()[0].split(",")
    assert files["CITATION.cff"].decode().startswith("cff-version: 1.2.0\n")
    assert (about["@type"], about["schemaVersion"], about["name"]) == ("Dataset", "Psych-DS 0.4.0", "A test")


def test_names_keys_and_rows_are_as_psych_ds_has_them(files: dict[str, bytes]) -> None:
    """Psych-DS 0.4.0: names of keys and values, the metadata that it requires, and a row a thing."""
    official = r"(study|site|subject|session|task|condition|trial|stimulus|description)-[A-Za-z0-9]+"
    data = [name for name in files if name.startswith("data/")]
    assert not [name for name in data if not re.fullmatch(rf"data/{official}(_{official})*_data\.(csv|json)", name)]
    about = json.loads(files["dataset_description.json"])
    assert (about["@context"], about["@type"]) == ("https://schema.org/", "Dataset")
    assert all(about[name] for name in ("name", "description", "variableMeasured"))
    assert all(column["@type"] == "PropertyValue" and column["name"] for column in about["variableMeasured"])
    assert "README.md" in files
    for name in (name for name in data if name.endswith(".csv")):
        header, *rows = csv.reader(io.StringIO(files[name].decode(), newline=""))
        assert len(set(header)) == len(header)
        assert {len(row) for row in rows} == {len(header)}
        assert len({tuple(row) for row in rows}) == len(rows), name
    for name, key in (("seats", "ballot_id"), ("participants", "ballot_id"), ("answers", "event_id")):
        ids = [row[key] for row in table(files, name)]
        assert len(set(ids)) == len(ids), name


def test_the_tables_tell_what_happened(experiment: Experiment, files: dict[str, bytes]) -> None:
    answers, seats, people = (table(files, name) for name in ("answers", "seats", "participants"))
    assert len(answers) == Vote.objects.count()
    changed = [
        row for row in answers if row["trial_id"] == next(r["trial_id"] for r in answers if r["revision"] == "2")
    ]
    assert [(row["revision"], row["current"]) for row in changed] == [("1", "false"), ("2", "true")]
    assert [row["state"] for row in seats if row["occupancy"] == "2"] == ["open"]
    (released,) = (row for row in seats if row["state"] == "abandoned")
    assert [row["counts"] for row in answers if row["ballot_id"] == released["ballot_id"]] == ["false"]
    assert float(released["released_s"]) > 0
    assert [row["device_class"] for row in people[:4]] == ["desktop", "desktop", "desktop", "phone"]
    assert [row["ears_passed"] for row in people[:4]] == ["true", "false", "true", "true"]
    assert "checks" in people[1]["qc_flags"].split()
    assert {row["level_db"] for row in table(files, "checks") if row["check"] == "level"} == {"-1.5"}
    assert {row["what"] for row in table(files, "interruptions")} == {"stall"}
    assert [bool(row["lifted_at"]) for row in table(files, "exclusions")] == [True, False]
    assert [row["changed"] for row in table(files, "texts")] == ["", "debrief"]
    stimuli = table(files, "stimuli")
    assert all(len(row["sha256"]) == 64 and float(row["duration_s"]) > 0 for row in stimuli)
    assert {row["factor_location"] for row in stimuli} == {"garden", "kitchen", ""}
    responses = table(files, "responses")
    slow = next(row for row in responses if row["revision"] == "2")
    assert (slow["response_ms"], slow["stall_ms"]) == ("700", "300")
    assert all(row["factor_location"] == json.loads(row["factors"] or "{}").get("location", "") for row in responses)


def test_a_page_tells_how_often_and_in_which_condition_the_item_was_heard_before(files: dict[str, bytes]) -> None:
    pages = [row for row in table(files, "responses") if row["subject_id"] == "sub-0001"]
    heard: dict[str, list[str]] = {}
    for before, row in pairwise([{"item": "", "condition": ""}, *sorted(pages, key=lambda row: int(row["position"]))]):
        own = heard.setdefault(row["item"], [])
        if (before["item"], before["condition"]) != (row["item"], row["condition"]):
            own.append(row["condition"])
        assert int(row["repetition"]) == own.count(row["condition"])
        assert row["previous_condition"] == (own[-2] if len(own) > 1 else "")
    assert {len(own) for item, own in heard.items() if item.startswith("sentence")} == {3}


def test_before_unblinding_nothing_tells_which_condition_a_letter_is(blind: bytes) -> None:
    files = files_of(blind)
    assert "experiment.yaml" not in files
    assert not [(name, secret) for name, text in files.items() for secret in SECRETS if secret.encode() in text]
    for row in table(files, "stimuli"):
        assert not any(row[name] for name in ("sha256", "duration_s", "loudness_lufs", "byte_count", "condition_role"))
    assert {row["detail"] for row in table(files, "trials")} == {""}
    assert {len(row["previous_condition"]) for row in table(files, "trials")} == {0, 1}


def test_the_same_data_twice_is_the_same_zip(experiment: Experiment, blind: bytes, tmp_path: Path) -> None:
    opened = named(experiment) if ALL else experiment
    first = packed(opened) if ALL else blind
    if ALL:
        assert packed(opened) == first
    place = tmp_path / "dataset.zip"
    call_command("export_dataset", opened.slug, out=place, stdout=io.StringIO())
    assert (place.read_bytes(), list(tmp_path.iterdir())) == (first, [place])
    Experiment.objects.filter(pk=opened.pk).update(title="Another title")
    assert packed(Experiment.objects.get(pk=opened.pk)) != first


def test_the_anonymous_edition_tells_nobody_apart(experiment: Experiment) -> None:
    with pytest.raises(AppError, match="4 listeners have taken part") as error:
        packed(experiment, anonymous=True)
    assert error.value.code == "dataset.too_few_listeners"
    files = files_of(packed(named(experiment), anonymous=True, k=3))
    ages = [row["age_band"] for row in table(files, "questionnaire")]
    devices = [row["device_class"] for row in table(files, "participants")][:4]
    combinations = list(zip(ages, devices, strict=True))
    assert all(combinations.count(one) >= 3 for one in combinations), combinations
    said = files["README.md"].decode()
    assert "at least 3 of the 4 listeners" in " ".join(said.split())
    assert "of age_band" in said
    everything = b"".join(files.values())
    assert b"Firefox" not in everything
    times = {
        name: value
        for name in ("responses", "answers", "seats", "checks")
        for row in table(files, name)
        for value in row.values()
        if "T" in value and parse_datetime(value)
    }
    assert not times, "no time of day of a listener"
    assert not [name for name in files if "visits" in name or name == "experiment.yaml"]
    assert {row["elapsed_s"] != "" for row in table(files, "responses")} == {True}


MARKER = "zanzibar"  # stands for whatever a person typed
MOMENT = re.compile(rb"\d{4}-\d\d-\d\d[T ]\d\d:\d\d")


def test_the_anonymous_edition_has_no_free_text_no_account_and_no_time_of_day(experiment: Experiment) -> None:
    owner = experiment.owner
    colleague = make_user(name="colleague77")
    User.objects.filter(pk=owner.pk).update(email="owner@example.org")
    amend_texts(experiment=experiment, actor=owner, contact=f"{MARKER}@example.org", reason=MARKER)
    first = exclude(experiment=experiment, actor=colleague, target=Target(listener="sub-0003"), reason=MARKER)
    lift(experiment=experiment, entry_id=first.pk, actor=colleague, reason=MARKER)
    exclude(experiment=experiment, actor=colleague, target=Target(listener="sub-0002"), reason=MARKER)
    sizes = {"panels_before": 1, "panels": 1, "listeners_before": 6, "listeners": 6}
    Extension.objects.create(experiment=experiment, number=1, reason=MARKER, **sizes)
    item = experiment.collection.items.earliest("name")
    type(item).objects.filter(pk=item.pk).update(excluded_reason=MARKER)
    visit = seated_visit(experiment)
    Invitation.objects.filter(seat=visit.seat).update(label=MARKER, address=f"{MARKER}@example.org")
    trial = visit.seat.ballot.trials.earliest("position")
    said: dict[str, Any] = {
        "payload": marks(2, scale=trial.ask[0]),
        "client": MARKER,
        "heard": {"interruptions": ["hidden"]},
    }
    cast_vote(ballot_id=visit.seat.ballot_id, event=vote_event(trial, **said))
    problem = ReportEvent(uuid4(), "error", trial.pk, {"message": MARKER})
    receive_report(visit=visit, event=problem, now=timezone.now())
    reissue_seat(seat=visit.seat, now=timezone.now(), actor=owner, reason=MARKER)
    refresh()
    opened = named(Experiment.objects.get(pk=experiment.pk))
    full = b"".join(files_of(packed(opened)).values())
    assert MARKER.encode() in full
    assert b"colleague77" in full
    assert MOMENT.search(full)
    files = files_of(packed(opened, anonymous=True, k=3))
    typed = (
        MARKER,
        "a sneeze",
        "too soon",
        "a mistake",
        "it was missing",
        owner.username,
        "colleague77",
        "@example.org",
    )
    assert not [(name, word) for name, text in files.items() for word in typed if word.encode() in text]
    assert not [(name, MOMENT.findall(text)) for name, text in files.items() if MOMENT.search(text)]
    assert "consent_language" not in table(files, "seats")[0]
    ledger = [{name: row[name] for name in ("subject_id", "lifted")} for row in table(files, "exclusions")]
    assert ledger == [
        {"subject_id": "sub-0002", "lifted": "true"},
        {"subject_id": "sub-0001", "lifted": "false"},
        {"subject_id": "sub-0003", "lifted": "true"},
        {"subject_id": "sub-0002", "lifted": "false"},
    ]
    assert {"rule", "figure", "threshold"} <= table(files, "exclusions")[0].keys()
    assert {row["excluded"] for row in table(files, "responses") if row["subject_id"] == "sub-0002"} == {"true"}
    assert [row["excluded"] for row in table(files, "participants")][:4] == ["false", "true", "false", "false"]


def test_columns_of_quality_hold_what_the_browser_and_the_checks_said() -> None:
    """A listener who hurries, with a hidden page, stalls and a failed check, and one of whom nothing is to be said."""
    experiment = make_experiment(seats=2, items=6, conditions=2)
    hurried: dict[str, Any] = {"plays": 3, "heard_ms": 400, "heard_full": False, "answer_ms": 120, "stall_ms": 900}
    hurried |= {"interruptions": ["hidden", "device"]}
    careful = {"plays": 1, "heard_ms": 50, "heard_full": True, "answer_ms": 1500}
    for heard, passed, level_db in ((hurried, False, 8.0), (careful, True, -2.0)):
        visit = seated_visit(experiment)
        SetupStep.objects.create(visit=visit, step="ears", outcome={"answers": []}, passed=passed)
        SetupStep.objects.create(visit=visit, step="headphones", outcome={"right": 6}, passed=True)
        SetupStep.objects.create(visit=visit, step="level", outcome={"level_db": level_db}, passed=True)
        for place, trial in enumerate(visit.seat.ballot.trials.order_by("position")):
            value = 3 if heard is hurried else 1 + place % 5
            clock = {"monotonic_ms": 1000.0 + (2000 if heard is hurried else 5000) * place}
            event = vote_event(trial, value=value, heard=heard, clock=clock)
            assert cast_vote(ballot_id=trial.ballot_id, event=event).status == "stored"
    files = files_of(packed(experiment))
    names = ("n_plays", "heard_ms", "heard_full", "response_ms", "stall_ms", "interruptions", "level_db")
    told = {(row["subject_id"], *(row[name] for name in names)) for row in table(files, "responses")}
    assert told == {
        ("sub-0001", "3", "400", "false", "120", "900", "hidden device", "8.0"),
        ("sub-0002", "1", "50", "true", "1500", "", "", "-2.0"),
    }
    names = ("ears_passed", "headphones_passed", "level_db", "response_ms", "pace_s", "stalled", "interrupted")
    people = table(files, "participants")
    assert [tuple(row[name] for name in names) for row in people] == [
        ("false", "true", "8.0", "120.0", "2.0", "12", "12"),
        ("true", "true", "-2.0", "1500.0", "5.0", "0", "0"),
    ]
    flags = ["fast flat level hidden stalls checks", ""]
    assert [row["qc_flags"].replace("sooner ", "") for row in people] == flags  # sound is not fetched in this test
    checks = [(row["subject_id"], row["check"], row["passed"]) for row in table(files, "checks")]
    assert checks[:3] == [
        ("sub-0001", "ears", "false"),
        ("sub-0001", "headphones", "true"),
        ("sub-0001", "level", "true"),
    ]


@pytest.mark.long
@pytest.mark.skipif(shutil.which("Rscript") is None, reason="R is not installed")
def test_the_r_script_prints_the_figures_of_the_page_to_six_decimals(experiment: Experiment, tmp_path: Path) -> None:
    opened = named(experiment)
    with zipfile.ZipFile(io.BytesIO(packed(opened))) as archive:
        archive.extractall(tmp_path)
    root = tmp_path / opened.slug
    ran = subprocess.run(["Rscript", "analysis/starter.R"], cwd=root, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert "The same as expected.csv." in ran.stdout
    means = ran.stdout.partition("The same as expected.csv.")[0].splitlines()
    printed = {tuple(line.split()[:2]): line.split()[2:] for line in means[1:]}
    page = read_result(experiment=opened, slug="mos", simulated=False)["table"]["rows"]
    for row in page:
        figures = [str(row["n_listeners"]), *(f"{row[name]:.6f}" for name in ("mos", "sd", "ci_low", "ci_high"))]
        assert printed[row["condition"], row["scale"]] == figures
    if "lme4 is not installed" not in ran.stdout:
        (apart,) = re.findall(r"Largest difference of a mean to results/model.csv: (\S+)", ran.stdout)
        assert float(apart) < 1e-5
    spoilt = root / "analysis" / "expected.csv"
    spoilt.write_text(spoilt.read_text().replace(",4,", ",5,", 1))
    again = subprocess.run(["Rscript", "analysis/starter.R"], cwd=root, capture_output=True, text=True, check=False)
    assert again.returncode == 1
