"""Workbooks: files that lead to a seat, and answers that become votes like any other."""

import io
import zipfile
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from openpyxl import Workbook, load_workbook

from core.models import AuditEntry
from listening.models import Completion, Invitation, Seat
from rating.models import Ballot, Experiment, Score, Trial, Vote
from rating.services.votes import cast_vote, chain_holds
from tests.factories import make_experiment, new_token, sit_down, vote_event

pytestmark = pytest.mark.django_db

WORKED = {"PRECISION": 4, "RECALL": 3, "FLUENCY": 0, "CONCISENESS": 0, "IRRELEVANCE": 0, "why": "It is right."}
EXAMPLE = {"item": "secretitem0", "captions": [{"condition": "secretsource0", **WORKED}]}
SCORES = (4.5, 3, -0.1, 0, -0.5)
FIRST_ROW, ROWS = 4, 4


@pytest.fixture(scope="module")
def shared_experiment(module_db: None) -> Experiment:
    """An example and two clips with two captions each, and two seats."""
    return make_experiment(protocol="thumbs", items=3, conditions=1, seats=2, options={"example": EXAMPLE})


@pytest.fixture
def staff(client: Client, experiment: Experiment) -> Client:
    client.force_login(experiment.owner)
    return client


@pytest.fixture
def address(experiment: Experiment) -> str:
    return f"/experiments/{experiment.slug}/panels/1/seats/1/workbook/"


def download(staff: Client, address: str) -> Workbook:
    answer = staff.post(f"{address}file/")
    assert answer.status_code == 200
    assert answer["Cache-Control"] == "no-store"
    return load_workbook(io.BytesIO(answer.content))


def filled(file: Workbook, *, rows: int = ROWS) -> Workbook:
    sheet = file["Assessment"]
    for row in range(FIRST_ROW, FIRST_ROW + rows):
        for column, value in zip("FGHIJ", SCORES, strict=True):
            sheet[f"{column}{row}"] = value
        if not sheet[f"K{row}"].protection.locked:
            sheet[f"K{row}"] = "yes"
    return file


def send(staff: Client, address: str, file: Workbook, **fields: Any) -> Any:
    kept = io.BytesIO()
    file.save(kept)
    upload = SimpleUploadedFile("back.xlsx", kept.getvalue())
    return staff.post(address, {"file": upload, **fields})


def ballot(experiment: Experiment) -> Ballot:
    return Ballot.objects.get(experiment=experiment, seat__number=1)


def test_a_whole_workbook_becomes_votes_and_the_seat_can_be_finished(
    staff: Client, address: str, experiment: Experiment
) -> None:
    answer = send(staff, address, filled(download(staff, address)), agreed="on")
    assert answer.status_code == 302, answer.content.decode()
    held = ballot(experiment)
    assert held.trials.filter(kind="test", answered=True).count() == 2
    scores = Score.objects.filter(vote__ballot=held)
    assert sorted(scores.filter(scale="OVERALL").values_list("value", flat=True)) == pytest.approx([3.15] * 4)
    assert scores.filter(scale="SYNTHESISED").count() == 2
    votes = Vote.objects.filter(ballot=held)
    assert {vote.client["version"] for vote in votes} == {"workbook"}
    assert {vote.client["clock"]["entered_by"] for vote in votes} == {experiment.owner.username}
    staff.post(f"{address}finish/")
    assert Completion.objects.filter(seat__ballot=held).exists()
    assert chain_holds(ballot=ballot(experiment))
    done = list(AuditEntry.objects.order_by("id").values_list("action", flat=True))[-5:]
    assert done == [
        *("workbook.made", "seat.taken_by_workbook", "ballot.entered_from_workbook"),
        *("ballot.completed", "ballot.closed_from_workbook"),
    ]


def test_while_a_cell_is_in_doubt_nothing_is_stored(staff: Client, address: str, experiment: Experiment) -> None:
    file = filled(download(staff, address))
    file["Assessment"]["H5"] = 0.3
    answer = send(staff, address, file, agreed="on")
    page = answer.content.decode()
    assert answer.status_code == 422
    assert 'data-kind="positive"' in page
    assert "H5" in page
    assert not Vote.objects.exists()
    assert Seat.objects.get(ballot=ballot(experiment)).state == Seat.State.OPEN
    assert send(staff, address, file, agreed="on", flip="on").status_code == 302
    assert Score.objects.filter(scale="FLUENCY", value=-0.3).count() == 1


def test_a_workbook_that_was_begun_leaves_drafts_and_the_rest_follows(
    staff: Client, address: str, experiment: Experiment
) -> None:
    assert send(staff, address, filled(download(staff, address), rows=3), agreed="on").status_code == 302
    trials = ballot(experiment).trials.filter(kind="test").order_by("position")
    assert [trial.answered for trial in trials] == [True, False]
    assert send(staff, address, filled(download(staff, address))).status_code == 302
    assert [trial.answered for trial in trials.all()] == [True, True]
    assert Vote.objects.filter(trial=trials[0]).count() == 1


def test_the_same_file_twice_stores_nothing_twice(staff: Client, address: str) -> None:
    file = filled(download(staff, address))
    send(staff, address, file, agreed="on")
    before = Vote.objects.count()
    assert send(staff, address, file).status_code == 302
    assert Vote.objects.count() == before


def test_an_answer_given_online_is_not_overwritten_silently(
    staff: Client, address: str, experiment: Experiment
) -> None:
    file = filled(download(staff, address))
    link = file["Assessment"]["C4"].hyperlink.target
    Client().post(urlsplit(link).path, {"agree": "on"})
    trial = _first_trial(experiment)
    event = vote_event(trial, payload={"captions": {"c1": {"PRECISION": 2.0}}, "finished": False})
    assert cast_vote(ballot_id=trial.ballot_id, event=event).status == "stored"
    answer = send(staff, address, file)
    assert answer.status_code == 422
    assert answer.content.decode().count('data-kind="conflict"') == 1
    assert send(staff, address, file, replace="on").status_code == 302
    assert _first_trial(experiment).answered


def _first_trial(experiment: Experiment) -> Trial:
    trial = ballot(experiment).trials.filter(kind="test").order_by("position").first()
    assert trial is not None
    return trial


def test_a_workbook_keeps_its_seat_for_its_recipient(staff: Client, address: str, experiment: Experiment) -> None:
    link = download(staff, address)["Assessment"]["C4"].hyperlink.target
    assert download(staff, address)["Assessment"]["C4"].hyperlink.target == link
    assert Invitation.objects.count() == 1
    assert sit_down(experiment).visit.seat.number == 2
    new_token(experiment)
    sheet = load_workbook(io.BytesIO(staff.post(address.replace("seats/1", "seats/2") + "file/").content))["Assessment"]
    assert sheet["C4"].hyperlink is None  # that listener has a link of their own


def test_without_consent_nothing_is_entered(staff: Client, address: str) -> None:
    answer = send(staff, address, filled(download(staff, address)))
    assert answer.status_code == 422
    assert "Tick the box" in answer.content.decode()
    assert not Vote.objects.exists()


def test_all_workbooks_come_in_one_archive_and_name_nothing(staff: Client, experiment: Experiment) -> None:
    answer = staff.post(f"/experiments/{experiment.slug}/workbooks/")
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        names = archive.namelist()
        parts = [zipfile.ZipFile(io.BytesIO(archive.read(name))) for name in names]
    assert names == [f"{experiment.slug}-1-1.xlsx", f"{experiment.slug}-1-2.xlsx"]
    assert not any(b"secret" in book.read(part) for book in parts for part in book.namelist())


def test_a_file_that_is_no_workbook_is_refused_with_a_sentence(staff: Client, address: str) -> None:
    answer = staff.post(address, {"file": SimpleUploadedFile("back.xlsx", b"not a workbook"), "agreed": "on"})
    assert answer.status_code == 422
    assert "it is no XLSX that can be read" in answer.content.decode()


def test_the_people_page_leads_to_workbooks_where_there_are_any(
    staff: Client, experiment: Experiment, address: str
) -> None:
    assert address in staff.get(f"/experiments/{experiment.slug}/people/").content.decode()
    other = make_experiment(experiment.owner, seats=1)
    assert "workbook" not in staff.get(f"/experiments/{other.slug}/people/").content.decode()
    refused = staff.get(f"/experiments/{other.slug}/panels/1/seats/1/workbook/")
    assert (refused.status_code, "has no workbook" in refused.content.decode()) == (409, True)
