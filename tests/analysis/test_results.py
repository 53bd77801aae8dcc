"""Results made from votes: current, blind until unblinded, and without simulated listeners unless asked."""

import csv
import io
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any
from unittest.mock import Mock

import pytest
from django.test import Client

from analysis.models import Result
from analysis.services.results import read_result, stale_results
from analysis.services.screening import screening_of
from analysis.tasks import refresh_stale_results
from core.jobs import JobRun, enqueue, queue
from core.models import AuditEntry, Job
from listening.panels.services.panels import add_seats
from rating.models import Ballot, Experiment
from rating.services.experiments import letters, unblind
from rating.services.votes import cast_vote
from tests.factories import consent_to, make_experiment, seated_visit, vote_event
from tests.scale import ALL

pytestmark = pytest.mark.django_db

VALUES = {"secretcondition0": 2, "secretcondition1": 5}


@pytest.fixture(scope="module")
def shared_experiment(module_db: None) -> Experiment:
    """Two seats; one listener has answered, and the results are up to date with that."""
    made = make_experiment(seats=2)
    listen(made)
    refresh()
    return made


@pytest.fixture
def uncomputed(experiment: Experiment) -> Experiment:
    """One listener has answered, and nothing was computed yet."""
    Result.objects.all().delete()
    return experiment


def listen(experiment: Experiment, *, shift: int = 0) -> Ballot:
    """One listener answers everything: 2 for one condition and 5 for the other, shifted."""
    ballot = seated_visit(experiment).seat.ballot
    for trial in ballot.trials.all():
        value = VALUES[trial.slots.get().stimulus.condition.name] - shift
        assert cast_vote(ballot_id=ballot.pk, event=vote_event(trial, value=value)).status == "stored"
    return ballot


def refresh() -> None:
    job = enqueue(refresh_stale_results)
    claimed = queue.claim(worker="test", names=[job.name], job_id=job.pk)
    assert claimed is not None
    refresh_stale_results(run=JobRun(claimed))


def mos(experiment: Experiment, *, simulated: bool = False) -> dict[str, Any]:
    rows = read_result(experiment=experiment, slug="mos", simulated=simulated)["table"]["rows"]
    return {row["condition"]: row for row in rows}


def test_the_mean_and_its_interval_are_over_listeners(experiment: Experiment) -> None:
    listen(experiment, shift=1)
    refresh()
    experiment = unblind(experiment=experiment, actor=experiment.owner, reason="test")
    row = mos(experiment)["secretcondition1"]
    assert (row["mos"], row["n_listeners"], row["n_votes"], row["unit"]) == (4.5, 2, 4, "listener")
    # t(0.975, 1) = 12.7062; SD of (5, 4) = 0.7071; half width = 12.7062 * 0.7071 / sqrt(2)
    assert row["ci_high"] - row["mos"] == pytest.approx(6.3531, abs=1e-4)


def test_conditions_are_letters_until_a_person_unblinds(experiment: Experiment) -> None:
    assert set(mos(experiment)) == {"A", "B"}
    experiment = unblind(experiment=experiment, actor=experiment.owner, reason="test")
    assert set(mos(experiment)) == set(VALUES)


def test_letters_do_not_follow_the_names() -> None:
    orders = {tuple(letters(["c0", "c1", "c2", "c3"], seed=str(seed)).items()) for seed in range(50)}
    assert len(orders) > 10
    assert len(set(letters([str(n) for n in range(60)], seed="x").values())) == 60
    for seed in range(20):  # what is heard whole, or as a check, leaves no gap in the letters of a table
        assert letters(["c0", "c1", "trap"], seed=str(seed), last=["trap"])["trap"] == "C"


def test_no_letter_is_the_name_of_a_condition() -> None:
    given = letters(["A", "B", "D", "noisy"], seed="x")
    assert sorted(given.values()) == ["C", "E", "F", "G"]


def test_a_new_vote_makes_the_result_stale_and_the_job_makes_it_current(experiment: Experiment) -> None:
    assert list(stale_results()) == []
    listen(experiment, shift=1)
    assert read_result(experiment=experiment, slug="mos", simulated=False)["stale"]
    refresh()
    assert read_result(experiment=experiment, slug="mos", simulated=False)["vote_count"] == 8
    assert Result.objects.count() == 1


def test_a_changed_answer_replaces_the_old_one_in_the_mean(experiment: Experiment) -> None:
    ballot = Ballot.objects.get(seat__panel__experiment=experiment, seat__number=1)
    for trial in ballot.trials.all():
        cast_vote(ballot_id=ballot.pk, event=vote_event(trial, value=1, revision=1))
    refresh()
    assert {row["mos"] for row in mos(experiment).values()} == {1.0}


def test_simulated_listeners_count_only_when_asked_for(experiment: Experiment) -> None:
    simulated = add_seats(panel=experiment.panels.get(), count=1, kind=Ballot.Kind.SIMULATED)[0]
    consent_to(simulated)
    for trial in simulated.ballot.trials.all():
        cast_vote(ballot_id=simulated.ballot_id, event=vote_event(trial, value=1))
    refresh()
    assert {row["n_listeners"] for row in mos(experiment).values()} == {1}
    assert {row["n_listeners"] for row in mos(experiment, simulated=True).values()} == {2}


def csv_of(client: Client, experiment: Experiment, query: str = "") -> list[dict[str, str]]:
    response = client.get(f"/api/v1/experiments/{experiment.slug}/votes.csv{query}")
    assert response.status_code == 200
    text = b"".join(response).decode()
    return list(csv.DictReader(io.StringIO(text)))


def test_the_download_holds_one_row_a_mark_and_is_logged(client: Client, experiment: Experiment) -> None:
    client.force_login(experiment.owner)
    rows = csv_of(client, experiment)
    assert len(rows) == 4
    assert {row["subject_id"] for row in rows} == {"sub-0001"}
    assert {row["condition"] for row in rows} == {"A", "B"}
    assert {row["condition_role"] for row in rows} == {""}
    assert {row["row_type"] for row in rows} == {"main"}
    assert sorted(float(row["value"]) for row in rows) == [2, 2, 5, 5]
    assert all(row["received_at"].endswith("Z") for row in rows)
    assert AuditEntry.objects.get(action="experiment.exported").actor == experiment.owner
    unblind(experiment=experiment, actor=experiment.owner, reason="test")
    assert {row["condition"] for row in csv_of(client, experiment)} == set(VALUES)


def test_an_unknown_method_is_refused_with_the_known_ones(client: Client, experiment: Experiment) -> None:
    client.force_login(experiment.owner)
    response = client.get(f"/api/v1/experiments/{experiment.slug}/results/median/")
    assert (response.status_code, response.json()["code"]) == (404, "result.unknown_method")
    assert "mos" in response.json()["detail"]


def test_looking_at_stale_results_asks_for_fresh_ones_once(client: Client, uncomputed: Experiment) -> None:
    experiment = uncomputed
    client.force_login(experiment.owner)
    for _ in range(3):
        assert client.get(f"/api/v1/experiments/{experiment.slug}/results/mos/").json()["stale"]
    waiting = Job.objects.get(name="analysis.refresh_results")
    assert waiting.requested_by == experiment.owner
    claimed = queue.claim(worker="test", names=[waiting.name], job_id=waiting.pk)
    assert claimed
    client.get(f"/api/v1/experiments/{experiment.slug}/results/mos/")
    assert Job.objects.filter(name="analysis.refresh_results").count() == 1, "nor beside one that runs"
    queue.complete(job=claimed)
    refresh()
    client.get(f"/api/v1/experiments/{experiment.slug}/results/mos/")
    assert Job.objects.filter(name="analysis.refresh_results").count() == 1


def test_the_main_tables_come_first_and_the_result_is_stale_until_the_rest_follows(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    experiment = make_experiment(seats=2)
    client.force_login(experiment.owner)
    page = f"/experiments/{experiment.slug}/results/"
    state = f"/api/v1/experiments/{experiment.slug}/results/mos/state/"
    seen: list[tuple[Any, str]] = []

    def looked_at(*args: Any, **options: Any) -> dict[str, Any]:
        assert client.get(f"/experiments/{experiment.slug}/report/").status_code == 200
        seen.append((client.get(state).json(), client.get(page).content.decode()))
        return screening_of(*args, **options)

    monkeypatch.setattr("analysis.services.results.screening_of", looked_at)
    for shift in (0, 1) if ALL else (0,):
        listen(experiment, shift=shift)
        refresh()
        given, html = seen[shift]
        votes = (1 + shift) * 4
        assert (given["vote_count"], given["stale"], given["main_current"]) == (votes, True, True)
        assert f"Up to date with {votes} answers. Updating adjusted models and screening ..." in html
        after = client.get(state).json()
        assert (after["stale"], after["main_current"]) == (False, True)
        assert after["edition"] != given["edition"], "a page that is open is shown the rest as well"
        assert f"Up to date with {votes} answers.</p>" in client.get(page).content.decode()


@pytest.mark.usefixtures("uncomputed")
def test_a_result_of_which_only_the_main_tables_were_stored_is_computed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched, pytest.raises(OSError, match="died"):
        patched.setattr("analysis.services.results.screening_of", Mock(side_effect=OSError("died")))
        refresh()
    assert [slug for _, slug, _ in stale_results()] == ["mos"]
    refresh()
    assert not list(stale_results())
    assert Result.objects.get().further["screening"]


def test_the_state_of_a_result_is_told_without_its_tables(
    client: Client,
    uncomputed: Experiment,
    django_assert_max_num_queries: Callable[[int], AbstractContextManager[Any]],
) -> None:
    experiment = uncomputed
    client.force_login(experiment.owner)
    address = f"/api/v1/experiments/{experiment.slug}/results/mos/"
    assert client.get(f"{address}state/").json() == {
        "vote_count": 0,
        "stale": True,
        "main_current": False,
        "computed_at": None,
        "edition": client.get(address).json()["edition"],
    }
    assert Job.objects.filter(name="analysis.refresh_results").count() == 1
    refresh()
    with django_assert_max_num_queries(12) as asked:
        state = client.get(f"{address}state/").json()
    assert not [query for query in asked.captured_queries if '"analysis_result"."table"' in query["sql"]]
    whole = client.get(address).json()
    assert state == {name: whole[name] for name in ("vote_count", "stale", "main_current", "computed_at", "edition")}
    assert not state["stale"]
    response = client.get(f"/api/v1/experiments/{experiment.slug}/results/median/state/")
    assert (response.status_code, response.json()["code"]) == (404, "result.unknown_method")


def test_the_schedule_leaves_a_result_to_the_job_that_refreshes_it(client: Client, uncomputed: Experiment) -> None:
    experiment = uncomputed
    client.force_login(experiment.owner)
    client.get(f"/api/v1/experiments/{experiment.slug}/results/mos/state/")
    waiting = Job.objects.get(name="analysis.refresh_results")
    claimed = queue.claim(worker="test", names=[waiting.name], job_id=waiting.pk)
    assert claimed
    refresh()
    assert list(stale_results()) != []
    queue.complete(job=claimed)
    refresh()
    assert list(stale_results()) == []
