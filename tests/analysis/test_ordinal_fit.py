"""Ordinal model of an experiment: asked for, fitted in the background, kept until votes or exclusions change."""

from random import Random

import pytest
from django.test import Client

from analysis.services.ordinal import fit_ordinal_model, read_fit, request_ordinal_fit
from core.errors import AppError
from core.jobs import JobRun, queue
from core.models import Job
from listening.panels.services.exclusions import Target, exclude, name_of_listener
from rating.models import Experiment
from rating.services.experiments import unblind
from rating.services.votes import cast_vote
from tests.analysis.p835_material import refresh
from tests.factories import make_experiment, seated_visit, vote_event
from tests.scale import ALL

pytestmark = pytest.mark.django_db

HIGHER = "secretcondition1"


@pytest.fixture(scope="module")
def shared_experiment(module_db: None) -> Experiment:
    """Five listeners, five items, and one condition that mostly gets a higher vote."""
    made = make_experiment(seats=6, items=5)
    rng = Random(7)
    for _ in range(5):
        ballot = seated_visit(made).seat.ballot
        for trial in ballot.trials.all():
            better = trial.slots.get().stimulus.condition.name == HIGHER
            value = min(5, max(1, rng.choice([1, 2, 3, 4]) + better))
            assert cast_vote(ballot_id=ballot.pk, event=vote_event(trial, value=value)).status == "stored"
    refresh()
    return made


def carry_out(job: Job) -> None:
    claimed = queue.claim(worker="test", names=[job.name], job_id=job.pk)
    assert claimed is not None
    fit_ordinal_model(run=JobRun(claimed), **claimed.arguments)
    queue.complete(job=claimed)


def fitted(experiment: Experiment) -> None:
    carry_out(request_ordinal_fit(experiment=experiment, actor=experiment.owner, simulated=False))


def test_a_button_has_it_fitted_and_the_page_shows_it_with_letters(client: Client, experiment: Experiment) -> None:
    client.force_login(experiment.owner)
    address = f"/experiments/{experiment.slug}/results/"
    assert "Fit the ordinal model" in client.get(address).content.decode()
    asked = client.post(f"/experiments/{experiment.slug}/ordinal-model/")
    assert (asked.status_code, asked["Location"]) == (302, f"{address}#ordinal")
    waiting = client.get(address).content.decode()
    job = Job.objects.get(name=fit_ordinal_model.name)
    assert f'data-job="{job.pk}"' in waiting
    assert "Fit the ordinal model" not in waiting
    carry_out(job)
    shown = client.get(address).content.decode()
    assert "Effects of conditions, ordinal model" in shown
    assert "secretcondition" not in shown
    for ending in ("csv", "tex", "md", "xlsx") if ALL else ("csv", "xlsx"):
        name = f"table-ordinal-contrasts.{ending}"
        file = client.get(f"/api/v1/experiments/{experiment.slug}/results/mos/files/{name}")
        assert file.status_code == 200, name
        assert b"secretcondition" not in b"".join(file)


def test_the_condition_with_higher_votes_has_the_higher_effect(client: Client, experiment: Experiment) -> None:
    fitted(experiment)
    opened = unblind(experiment=experiment, actor=experiment.owner, reason="test")
    client.force_login(opened.owner)
    told = client.get(f"/api/v1/experiments/{opened.slug}/ordinal-model/").json()
    assert (told["state"], told["vote_count"], told["warnings"]) == ("current", 50, [])
    tables = {table["id"]: table["rows"] for table in told["tables"]}
    effects = {row["condition"]: row["effect"] for row in tables["ordinal-effects"]}
    assert effects[HIGHER] > 0
    assert sum(effects.values()) == pytest.approx(0)
    [pair] = tables["ordinal-contrasts"]
    assert pair["effect"] == pytest.approx(effects[pair["condition"]] - effects[pair["against"]])
    assert len(tables["ordinal-thresholds"]) == 4
    assert {row["component"] for row in tables["ordinal-deviations"]} > {"listener", "item"}


def test_a_vote_or_an_exclusion_takes_the_figures_away_until_it_is_fitted_again(experiment: Experiment) -> None:
    fitted(experiment)
    seat = experiment.panels.get().seats.get(number=1)
    exclude(
        experiment=experiment, actor=experiment.owner, target=Target(listener=name_of_listener(seat)), reason="asleep"
    )
    outdated = read_fit(experiment=experiment, simulated=False)
    assert (outdated.state, outdated.table) == ("outdated", {})
    fitted(experiment)
    # Four listeners have 40 votes left, fewer than the model needs, which it says in place of figures.
    fit = read_fit(experiment=experiment, simulated=False)
    assert fit.state == "current"
    assert [row["code"] for row in fit.table["warnings"]] == ["no_model"]
    assert "40" in fit.table["warnings"][0]["reason"]


def test_too_few_answers_and_answers_without_categories_are_refused(client: Client) -> None:
    empty, plane = make_experiment(seats=1), make_experiment(protocol="tcsd_plane", items=2, conditions=3)
    for experiment, code in ((empty, "model.too_few_answers"), (plane, "model.no_categories")):
        with pytest.raises(AppError) as refused:
            request_ordinal_fit(experiment=experiment, actor=experiment.owner, simulated=False)
        assert refused.value.code == code
        client.force_login(experiment.owner)
        answer = client.post(f"/api/v1/experiments/{experiment.slug}/ordinal-model/")
        assert answer.json()["code"] == code
    assert not Job.objects.filter(name=fit_ordinal_model.name).exists()
