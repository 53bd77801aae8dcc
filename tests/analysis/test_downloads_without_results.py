"""The downloads of an experiment whose results were not computed yet: no empty file, and a dataset that says so."""

import io
import runpy
import zipfile
from pathlib import Path

import pytest
from django.test import Client

from core.models import AuditEntry, Job
from rating.models import Experiment
from tests.analysis.p835_material import listen, p835_experiment, refresh
from tests.factories import make_experiment
from tests.people import browser_of

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def shared_experiment(module_db: None) -> Experiment:
    """One listener has answered; there is one item, so the results are soon computed."""
    made = p835_experiment(seats=1, items=1)
    listen(made)
    return made


@pytest.fixture
def client(experiment: Experiment) -> Client:
    return browser_of(experiment.owner)


def asked(client: Client, experiment: Experiment, name: str) -> tuple[int, str]:
    response = client.get(f"/api/v1/experiments/{experiment.slug}/{name}")
    return response.status_code, "" if response.streaming else response.json()["code"]


def test_results_that_were_not_computed_are_no_empty_file_and_the_page_offers_none(
    client: Client, experiment: Experiment
) -> None:
    names = ("results/mos.csv", "results/mos/files/means.csv", "results/mos/files/table-conditions.tex")
    unanswered = make_experiment(experiment.owner, seats=1)
    for name in names:
        assert asked(client, unanswered, name) == (409, "result.no_answers")
        assert asked(client, experiment, name) == (409, "result.not_computed")
        assert Job.objects.filter(name="analysis.refresh_results").delete()[0] == 1, "asking has them computed"
    assert not AuditEntry.objects.filter(action="experiment.exported").exists()
    page, offered = f"/experiments/{experiment.slug}/results/", f"/api/v1/experiments/{experiment.slug}/results/mos.csv"
    assert offered not in client.get(page).content.decode()
    refresh()
    for name in names:
        assert asked(client, experiment, name) == (200, "")
    assert offered in client.get(page).content.decode()


def test_a_dataset_without_computed_results_says_so_and_holds_no_empty_tables(
    client: Client, experiment: Experiment, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = client.get(f"/api/v1/experiments/{experiment.slug}/dataset.zip").getvalue()
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        archive.extractall(tmp_path)
    root = tmp_path / experiment.slug
    assert not list(root.glob("results/*"))
    assert not list(root.rglob("*expected.csv"))
    assert "Method mos: not computed yet" in (root / "README.md").read_text()
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(root / "analysis/starter.py"), run_name="__main__")
    assert ended.value.code == 0
    assert "There is no expected.csv to compare with." in capsys.readouterr().out
