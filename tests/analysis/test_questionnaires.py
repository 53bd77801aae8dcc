"""Downloads and summary of questionnaires: who counts, what the columns are, and what is left out."""

import csv
import io
import json
import zipfile

import pytest

from analysis.services.questionnaires import summary
from core.models import AuditEntry
from rating.models import Experiment
from tests.factories import make_experiment, sit_down
from tests.listening.participation.test_questionnaires import QUESTIONS, finished, page_of, save
from tests.people import browser_of

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def answered(module_db: None) -> Experiment:
    """One listener has finished, one has withdrawn, one has only saved drafts, one has not begun."""
    experiment = make_experiment(seats=4, questions=QUESTIONS)
    first, second, third = (sit_down(experiment) for _ in range(3))
    finished(first)
    finished(second)
    second.client.post(f"/visits/{second.visit.id}/withdraw/")
    save(third, "age_band", "18_24")
    third.client.get(page_of(third, "before"))
    return experiment


def downloaded(experiment: Experiment, name: str) -> bytes:
    answer = browser_of(experiment.owner).get(f"/api/v1/experiments/{experiment.slug}/{name}")
    assert answer.status_code == 200
    return bytes(answer.getvalue())


def rows(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode())))


def test_the_download_has_one_row_for_each_listener_who_counts_and_handed_answers_in(
    answered: Experiment, db: None
) -> None:
    [row] = rows(downloaded(answered, "questionnaire.csv"))
    assert row.pop("handed_in_at").endswith("Z")
    assert row == {
        "subject_id": "sub-0001",
        "panel": "1",
        "seat": "1",
        "row_type": "main",
        "age_band": "25_34",
        "hours": "7.5",
        "devices": "Radio|Phone",
        "tired": "2",
        "comment": "The third was loud.",
    }
    entry = AuditEntry.objects.filter(action="experiment.exported").latest("pk")
    assert entry.after is not None
    assert entry.after["what"] == "questionnaire"


def test_the_anonymous_edition_has_no_free_text(answered: Experiment, db: None) -> None:
    [row] = rows(downloaded(answered, "questionnaire.csv?anonymous=1"))
    assert "comment" not in row
    whole = zipfile.ZipFile(io.BytesIO(downloaded(answered, "dataset.zip?anonymous=1&k=2")))
    assert not any(b"The third was loud." in whole.read(name) for name in whole.namelist())
    [table] = [name for name in whole.namelist() if name.endswith("questionnaire_data.csv")]
    [row] = rows(whole.read(table))
    assert (row["age_band"], row["tired"], "handed_in_at" in row) == ("", "2", False)


def test_the_dataset_has_the_answers_and_a_codebook(answered: Experiment, db: None) -> None:
    whole = zipfile.ZipFile(io.BytesIO(downloaded(answered, "dataset.zip")))
    [table] = [name for name in whole.namelist() if name.endswith("questionnaire_data.csv")]
    [row] = rows(whole.read(table))
    listed = json.loads(whole.read(table.replace(".csv", ".json")))["variableMeasured"]
    columns = {column["name"]: column for column in listed}
    assert list(columns) == list(row)
    assert columns["age_band"]["options"]["25_34"] == "25 to 34"
    assert columns["hours"]["unit"] == "h"
    assert columns["devices"]["separator"] == "|"


def test_of_a_listener_who_withdrew_the_dataset_has_the_seat_alone(answered: Experiment, db: None) -> None:
    whole = zipfile.ZipFile(io.BytesIO(downloaded(answered, "dataset.zip")))
    tables = {name: whole.read(name) for name in whole.namelist() if name.endswith("_data.csv")}
    (seats,) = (rows(text) for name, text in tables.items() if "-seats_" in name)
    (gone,) = (row for row in seats if row["state"] == "withdrawn")
    assert (gone["subject_id"], gone["votes"]) == ("", "")
    assert [name for name, text in tables.items() if gone["ballot_id"].encode() in text and "-seats_" not in name] == []
    assert not [name for name, text in tables.items() if b"sub-0002" in text]


def test_the_results_count_answers_per_option_and_show_no_free_text(answered: Experiment, db: None) -> None:
    by_key = {asked["key"]: asked for asked in summary(answered, simulated=False)}
    assert dict(by_key["devices"]["counts"]) == {"Radio": 1, "Hi-fi": 0, "Phone": 1}
    assert by_key["hours"]["range"] == {"least": 7.5, "median": 7.5, "most": 7.5}
    assert (by_key["comment"]["answered"], by_key["comment"]["of"], by_key["comment"]["counts"]) == (1, 1, [])
    page = browser_of(answered.owner).get(f"/experiments/{answered.slug}/results/").content.decode()
    assert "25 to 34" in page
    assert "The third was loud." not in page
