"""The report of an experiment: on a page and in one file, blind until unblinded, with what is needed to do it again."""

import re

import pytest
from django.test import Client

from core.models import AuditEntry
from rating.models import Experiment
from rating.services.experiments import unblind
from tests.analysis.p835_material import CONDITIONS, SECRETS, listen, p835_experiment, refresh
from tests.factories import make_experiment
from tests.people import bearing, browser_of, token_of

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def shared_experiment(module_db: None) -> Experiment:
    experiment = p835_experiment()
    listen(experiment)
    refresh()
    return experiment


@pytest.fixture
def client(experiment: Experiment) -> Client:
    return browser_of(experiment.owner)


def page(client: Client, experiment: Experiment) -> str:
    answer = client.get(f"/experiments/{experiment.slug}/report/")
    assert answer.status_code == 200
    return answer.content.decode()


def file(experiment: Experiment) -> str:
    script = bearing(token_of(experiment.owner, "read"))
    answer = script.get(f"/api/v1/experiments/{experiment.slug}/report.html")
    assert "attachment" in answer.headers["Content-Disposition"]
    return answer.getvalue().decode()


def test_the_report_has_methods_listeners_figures_tables_and_versions(client: Client, experiment: Experiment) -> None:
    told = page(client, experiment)
    for part in ("Methods", "Design", "Listeners and exclusions", "Figures", "Tables", "Versions"):
        assert f"<h2>{part}</h2>" in told
    assert "rated" in told
    assert "No vote was excluded by a rule" in told
    assert "<svg" in told
    assert experiment.design_sha256 in told
    assert experiment.label_set in told
    assert "Version 1, from" in told
    assert f'href="/api/v1/experiments/{experiment.slug}/report.html"' in told


def test_the_file_needs_nothing_else(experiment: Experiment) -> None:
    told = file(experiment)
    assert told.startswith("<!doctype html>")
    assert not re.search(r"(src|href)=|url\(|@import|<script", told)
    assert "@media print" in told
    assert AuditEntry.objects.filter(action="experiment.exported", after__what="report").count() == 1


def test_conditions_are_letters_until_the_experiment_is_unblinded(client: Client, experiment: Experiment) -> None:
    for told in (page(client, experiment), file(experiment)):
        assert not [secret for secret in SECRETS if secret in told]
        assert "has not been unblinded" in told
    unblind(experiment=experiment, actor=experiment.owner, reason="Done.")
    assert all(condition in page(client, experiment) for condition in CONDITIONS)


def test_without_answers_the_report_says_so() -> None:
    experiment = make_experiment(seats=1)
    told = page(browser_of(experiment.owner), experiment)
    assert "There are no results yet." in told
    assert "<h2>Figures</h2>" not in told
