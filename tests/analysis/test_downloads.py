"""The downloads: in the shapes that others read, with the figures of the page, and blind until unblinded."""

import ast
import csv
import hashlib
import io
import itertools
import json
import math
import runpy
import statistics
import subprocess
import sys
import zipfile
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from analysis.services.results import read_result
from core.models import AuditEntry
from listening.models import SetupStep, Visit
from rating.models import Experiment
from rating.services.experiments import unblind
from rating.services.votes import cast_vote
from stimuli.services.collections import add_stimulus, create_collection
from tests.analysis.p835_material import CONDITIONS, SECRETS, listen, p835_experiment, refresh
from tests.factories import make_experiment, make_user, seated_visit, tone, vote_event
from tests.scale import ALL

pytestmark = pytest.mark.django_db

SCALES = ("SIG", "BAK", "OVRL")


@pytest.fixture(scope="module")
def shared_experiment(module_db: None) -> Experiment:
    made = p835_experiment(seats=3)
    listen(made)
    listen(made, shift=1)
    refresh()
    return made


@pytest.fixture(scope="module")
def downloaded(shared_experiment: Experiment) -> dict[str, bytes]:
    """Files that were downloaded once, before unblinding; the log of it stays for the tests."""
    names = ("votes.csv", "wide.csv?scale=BAK", "dataset.zip")
    return {name: content(Client(), shared_experiment, name) for name in names}


def content(client: Client, experiment: Experiment, name: str) -> bytes:
    client.force_login(experiment.owner)
    response = client.get(f"/api/v1/experiments/{experiment.slug}/{name}")
    assert response.status_code == 200, name
    return b"".join(response) if response.streaming else response.content


def rows(client: Client, experiment: Experiment, name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content(client, experiment, name).decode())))


def opened(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        return {name.partition("/")[2]: archive.read(name) for name in archive.namelist()}


def open_up(experiment: Experiment) -> Experiment:
    return unblind(experiment=experiment, actor=experiment.owner, reason="test")


NAMES = (
    "votes.csv",
    "wide.csv?scale=SIG",
    "wide.csv?scale=OVRL",
    "votes_per_clip.csv?scale=BAK",
    "votes_per_cond.csv",
    "results/mos.csv",
    "results/mos/",
    "results/mos/items/",
    "results/mos/items/?part=practice",
)


def test_no_byte_names_a_condition_or_its_role_before_unblinding(client: Client, experiment: Experiment) -> None:
    blind = {name: content(client, experiment, name) for name in NAMES}
    assert min(map(len, blind.values())) > 100
    words = [word.encode() for word in (*SECRETS, "reference")]
    assert not [(name, word) for name, text in blind.items() for word in words if word in text]
    opened = open_up(experiment)
    for name in NAMES:
        assert any(secret.encode() in content(client, opened, name) for secret in SECRETS), "the control: now they are"


def test_no_file_of_the_dataset_names_a_condition_before_unblinding(
    client: Client, experiment: Experiment, downloaded: dict[str, bytes]
) -> None:
    blind = opened(downloaded["dataset.zip"])
    texts = {
        name: text for name, text in blind.items() if name != "README.md" and not name.startswith("analysis/starter")
    }
    assert not [
        (name, secret) for name, text in blind.items() for secret in SECRETS if secret.encode() in text + name.encode()
    ]
    assert not [name for name, text in texts.items() if b"reference" in text.replace(b"test, reference, anchor", b"")]
    assert experiment.seed not in json.loads(blind["design.json"]).values()
    assert json.loads(blind["design.json"])["language"] == "en"
    named = opened(content(client, open_up(experiment), "dataset.zip"))
    assert [name for name, text in named.items() if CONDITIONS[0].encode() in text]


def test_letters_are_the_same_in_every_file(client: Client, experiment: Experiment) -> None:
    letters = {row["condition"] for row in rows(client, experiment, "votes.csv") if row["kind"] == "test"}
    assert len(letters) == 3
    assert {row["condition"] for row in rows(client, experiment, "wide.csv")} == letters
    assert {row["condition_name"] for row in rows(client, experiment, "votes_per_cond.csv")} == letters
    assert {row["condition_name"] for row in rows(client, experiment, "votes_per_clip.csv")} == letters
    shown = read_result(experiment=experiment, slug="mos", simulated=False)["table"]
    assert {row["condition"] for row in shown["rows"]} == letters


def test_the_wide_matrix_has_a_column_a_seat_and_is_empty_where_nobody_rated(
    client: Client, experiment: Experiment
) -> None:
    votes = [row for row in rows(client, experiment, "votes.csv") if row["kind"] == "test"]
    marks = {(row["scale"], row["condition"], row["item"], row["subject_id"]): row["value"] for row in votes}
    for scale in SCALES:
        matrix = rows(client, experiment, f"wide.csv?scale={scale}")
        assert list(matrix[0]) == ["condition", "sample", "subject_1", "subject_2", "subject_3"]
        assert len(matrix) == 9
        for row in matrix:
            for number in (1, 2):
                value = marks[scale, row["condition"], row["sample"], f"sub-{number:04d}"]
                assert float(row[f"subject_{number}"]) == float(value)
            assert row["subject_3"] == ""


def test_votes_per_clip_are_those_of_the_p808_toolkit(client: Client, experiment: Experiment) -> None:
    clips = rows(client, experiment, "votes_per_clip.csv?scale=SIG")
    head = ["file_url", "n", "MOS_SIG", "std_SIG", "95%CI_SIG", "short_file_name", "condition_name", "vote_1", "vote_2"]
    assert list(clips[0]) == head
    for clip in clips:
        votes = [float(clip["vote_1"]), float(clip["vote_2"])]
        assert clip["file_url"] == f"{clip['condition_name']}/{clip['short_file_name']}"
        assert float(clip["MOS_SIG"]) == pytest.approx(statistics.mean(votes), abs=1e-12)
        assert float(clip["std_SIG"]) == pytest.approx(statistics.stdev(votes), abs=1e-12)
        assert float(clip["95%CI_SIG"]) == pytest.approx(1.96 * statistics.stdev(votes) / math.sqrt(2), abs=1e-12)


def test_votes_per_condition_pool_all_votes(client: Client, experiment: Experiment) -> None:
    by_cell: dict[tuple[str, str], list[float]] = defaultdict(list)
    for row in rows(client, experiment, "votes.csv"):
        if row["kind"] == "test":
            by_cell[row["condition"], row["scale"]].append(float(row["value"]))
    found = rows(client, experiment, "votes_per_cond.csv")
    assert list(found[0])[:5] == ["condition_name", "n", "MOS_BAK", "MOS_SIG", "MOS_OVRL"]
    for row in found:
        assert row["n"] == "6"
        means = {scale: statistics.mean(by_cell[row["condition_name"], scale]) for scale in SCALES}
        for scale, mean in means.items():
            votes = by_cell[row["condition_name"], scale]
            assert float(row[f"MOS_{scale}"]) == pytest.approx(mean, abs=1e-12)
            assert float(row[f"95%CI_{scale}"]) == pytest.approx(
                1.96 * statistics.stdev(votes) / math.sqrt(6), abs=1e-12
            )
        assert float(row["M"]) == pytest.approx(((means["SIG"] - 1) / 4 + (means["OVRL"] - 1) / 4) / 2, abs=1e-12)


def test_the_file_of_figures_has_those_of_the_page_to_the_last_digit(client: Client, experiment: Experiment) -> None:
    table = read_result(experiment=experiment, slug="mos", simulated=False, long=True)["table"]
    found = rows(client, experiment, "results/mos.csv")
    by_key = {(row["table"], row["unit"], row["scale"], row["condition"], row["item"]): row for row in found}
    for part, name in (("rows", "conditions"), ("items_level", "conditions"), ("items", "items")):
        for row in table[part]:
            line = by_key[name, row["unit"], row["scale"], row["condition"], row.get("item", "")]
            assert (line["mos"], line["ci_low"]) == (str(row["mos"]), str(row["ci_low"]))
    assert {row["table"] for row in found} >= {"panels", "factors", "differences", "orders", "sessions", "practice"}


def test_the_long_file_tells_part_order_factors_and_level(client: Client) -> None:
    made = p835_experiment(seats=1)
    ballot = listen(made)
    visit = Visit.objects.get(seat__ballot=ballot)
    step = SetupStep.objects.create(visit=visit, step="level", outcome={"level_db": -2.5}, passed=True)
    SetupStep.objects.filter(pk=step.pk).update(created_at=ballot.votes.earliest("id").received_at)
    late = SetupStep.objects.create(visit=visit, step="level", outcome={"level_db": 6}, passed=True)
    SetupStep.objects.filter(pk=late.pk).update(created_at=timezone.now())
    found = rows(client, made, "votes.csv")
    assert {row["level_db"] for row in found} == {"-2.5"}
    assert {row["part"] for row in found} == {"1", "2", "3"}
    assert {row["order"] for row in found} == {"SIG-BAK-OVRL", "BAK-SIG-OVRL"}
    for row in found:
        assert row["order"].split("-")[int(row["part"]) - 1] == row["scale"]
    assert {row["factors"] for row in found} == {'{"location": "garden"}', '{"location": "kitchen"}', ""}


def test_the_dataset_is_whole_and_its_starter_prints_the_same_table(
    experiment: Experiment, downloaded: dict[str, bytes], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = downloaded["dataset.zip"]
    files = opened(data)
    listed = [line.split("  ") for line in files.pop("checksums.sha256").decode().splitlines()]
    sums = {name: digest for digest, name in listed}
    assert {name: hashlib.sha256(text).hexdigest() for name, text in files.items()} == sums
    (responses,) = (name for name in files if "responses_data.csv" in name)
    meanings = json.loads(files[responses.replace(".csv", ".json")])["variableMeasured"]
    assert [each["name"] for each in meanings] == files[responses].decode().splitlines()[0].split(",")
    assert files["analysis/starter_output.txt"].decode().endswith("The same as expected.csv.\n")
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        archive.extractall(tmp_path)
    starter = tmp_path / experiment.slug / "analysis/starter.py"
    if ALL:
        ran = subprocess.run([sys.executable, starter], capture_output=True, text=True, check=True)
        assert "The same as expected.csv." in ran.stdout
    with pytest.raises(SystemExit) as ended:  # here, where pandas and scipy are loaded already
        runpy.run_path(str(starter), run_name="__main__")
    assert ended.value.code == 0
    assert "The same as expected.csv." in capsys.readouterr().out
    assert imports_of(starter) <= {"pandas", "scipy", *sys.stdlib_module_names}
    spoilt = starter.with_name("expected.csv")
    spoilt.write_text(spoilt.read_text().replace(",6,", ",7,", 1))
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(starter), run_name="__main__")
    assert ended.value.code == 1


def imports_of(script: Path) -> set[str]:
    """The packages that a script needs."""
    found = set()
    for node in ast.walk(ast.parse(script.read_text())):
        if isinstance(node, ast.Import):
            found |= {each.name.partition(".")[0] for each in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, "it stands alone"
            found.add((node.module or "").partition(".")[0])
    return found


def test_one_scale_alone_has_no_suffix(client: Client) -> None:
    made = make_experiment(seats=1)
    seat = seated_visit(made).seat
    for trial in seat.ballot.trials.order_by("position"):
        cast_vote(ballot_id=seat.ballot_id, event=vote_event(trial, value=3))
    assert list(rows(client, made, "votes_per_cond.csv")[0]) == ["condition_name", "n", "MOS", "std", "95%CI"]
    assert content(client, made, "votes_per_clip.csv").decode().startswith("file_url,n,MOS,std,95%CI,")
    assert set(opened(content(client, made, "dataset.zip"))) >= {"README.md", "legacy/udase/results_QUALITY.csv"}


def test_no_download_is_a_bare_header(client: Client) -> None:
    made = make_experiment(seats=1)
    client.force_login(made.owner)
    logged = AuditEntry.objects.filter(action="experiment.exported").count()
    names = ("votes.csv", "wide.csv", "votes_per_clip.csv", "votes_per_cond.csv")
    for name in names:
        response = client.get(f"/api/v1/experiments/{made.slug}/{name}")
        assert (response.status_code, response.json()["code"]) == (409, "download.no_rows"), name
    assert AuditEntry.objects.filter(action="experiment.exported").count() == logged
    page = client.get(f"/experiments/{made.slug}/results/").content.decode()
    assert not [name for name in names if f"/{made.slug}/{name}" in page]
    files = opened(content(client, made, "dataset.zip"))
    assert not [name for name, text in files.items() if name.endswith(".csv") and len(text.splitlines()) < 2]
    assert "A table without rows is not written: responses, answers" in files["README.md"].decode()


@pytest.mark.usefixtures("downloaded")
def test_every_download_is_logged_with_what_it_was() -> None:
    logged: list[Any] = list(AuditEntry.objects.filter(action="experiment.exported").values_list("after", flat=True))
    assert {entry["what"] for entry in logged} == {"votes", "wide BAK", "dataset"}


def test_no_cell_of_any_download_is_a_formula(client: Client) -> None:
    owner = make_user()
    collection = create_collection(owner=owner, slug="formulas", title="Formulas")
    for number, (item, condition) in enumerate(itertools.product(("=1+1", "-5"), ("@SUM(1)", "+cmd|' /C calc'!A0"))):
        factors = {"snr": "-5", "place": f"={item}"}
        add_stimulus(collection=collection, item=item, condition=condition, content=tone(300 + number), factors=factors)
    made = make_experiment(owner, collection=collection, seats=1)
    seat = seated_visit(made).seat
    for trial in seat.ballot.trials.order_by("position"):
        assert cast_vote(ballot_id=seat.ballot_id, event=vote_event(trial, value=3)).status == "stored"
    refresh()
    opened_up = open_up(made)
    names = ("votes.csv", "wide.csv", "votes_per_clip.csv", "votes_per_cond.csv", "results/mos.csv")
    texts = {name: content(client, opened_up, name) for name in names}
    texts |= {name: text for name, text in opened(content(client, opened_up, "dataset.zip")).items() if ".csv" in name}
    cells = {
        (name, cell) for name, text in texts.items() for row in csv.reader(io.StringIO(text.decode())) for cell in row
    }
    assert not [found for found in cells if found[1][:1] in "=+@\t\r\n" and found[1]]
    assert not [found for found in cells if found[1].startswith("-") and not math.isfinite(float(found[1]))]
    assert {cell for _, cell in cells} >= {"'=1+1", "-5", "'@SUM(1)", "'+cmd|' /C calc'!A0", "'==1+1"}


def test_a_dataset_carries_the_root_of_the_records_it_was_made_of(downloaded: dict[str, bytes]) -> None:
    files = opened(downloaded["dataset.zip"])
    root = json.loads(files["dataset_description.json"])["root"]
    assert f"verify_votes --root {root}" in files["README.md"].decode()
    call_command("verify_votes", root=root, stdout=io.StringIO())


def test_an_unknown_scale_is_refused_with_the_known_ones(client: Client, experiment: Experiment) -> None:
    client.force_login(experiment.owner)
    response = client.get(f"/api/v1/experiments/{experiment.slug}/wide.csv?scale=MOS")
    assert (response.status_code, response.json()["code"]) == (404, "result.unknown_scale")
    assert "SIG, BAK, OVRL" in response.json()["detail"]
