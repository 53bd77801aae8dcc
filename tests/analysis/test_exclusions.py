"""Results and files with and without excluded answers: nothing is lost, and the figures are those of what counts."""

import csv
import io
import zipfile
from copy import deepcopy
from html import unescape
from random import Random
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from analysis.exclusions.rules import apply_rule
from analysis.reports.exclusions import differences_with_and_without
from analysis.reports.plan import plan_outcomes, plan_sha256
from analysis.reports.tables import signed
from analysis.services.experiment_report import experiment_report
from analysis.services.results import read_result
from core.errors import AppError
from listening.panels.services.exclusions import Target, exclude, lift
from rating.models import Experiment, Score, Vote
from rating.registry import get_protocol
from rating.services.access import share
from rating.services.editing import edit_experiment
from rating.services.experiments import check_design, design_digest, go_live, unblind
from rating.services.pages import plan_of
from rating.services.votes import cast_vote
from tests.analysis.p835_material import refresh
from tests.factories import make_experiment, make_user, seated_visit, vote_event
from tests.people import bearing, token_of
from tests.scale import ALL

pytestmark = pytest.mark.django_db


def listened(*values: int, items: int = 3, **parts: Any) -> Experiment:
    """One listener for each value, who gives it to every clip of one condition."""
    experiment = make_experiment(seats=len(values), items=items, conditions=1, **parts)
    for value in values:
        ballot = seated_visit(experiment).seat.ballot
        for trial in ballot.trials.unanswered():
            assert cast_vote(ballot_id=ballot.pk, event=vote_event(trial, value=value)).status == "stored"
    return experiment


@pytest.fixture(scope="module")
def shared_experiment(module_db: None) -> Experiment:
    """Four listeners, the results computed."""
    made = listened(5, 5, 4, 1)
    refresh()
    return made


@pytest.fixture(scope="module")
def shared_screened(module_db: None) -> Experiment:
    made = make_experiment(seats=4, items=12, conditions=1)
    answer_screened(made)
    return made


@pytest.fixture
def screened(shared_screened: Experiment) -> Experiment:
    return deepcopy(shared_screened)


def table(experiment: Experiment) -> dict[str, Any]:
    tables: dict[str, Any] = read_result(experiment=experiment, slug="mos", simulated=False)["table"]
    return tables


def out(experiment: Experiment, reason: str, **target: Any) -> Any:
    return exclude(experiment=experiment, actor=experiment.owner, target=Target(**target), reason=reason)


def page(client: Client, experiment: Experiment) -> str:
    client.force_login(experiment.owner)
    return " ".join(unescape(client.get(f"/experiments/{experiment.slug}/results/").content.decode()).split())


def test_an_excluded_listener_leaves_every_figure_and_comes_back_when_it_is_lifted(
    client: Client, experiment: Experiment
) -> None:
    """Marks 5, 5, 4 and 1 of four listeners: the mean is 15/4 with everybody and 14/3 without the last."""
    assert [row["mos"] for row in table(experiment)["rows"]] == [15 / 4]
    assert "No answer was excluded." in page(client, experiment)
    entry = out(experiment, "reads mail meanwhile", listener="sub-0004")
    assert read_result(experiment=experiment, slug="mos", simulated=False)["stale"]
    refresh()
    found = table(experiment)
    assert [(row["mos"], row["n_listeners"], row["n_votes"]) for row in found["rows"]] == [(14 / 3, 3, 9)]
    for part in ("votes_level", "items_level", "two_way_level"):
        assert [row["mos"] for row in found[part]] == [pytest.approx(14 / 3)], part
    (compared,) = found["with_and_without"]
    assert (compared["n_votes_all"], compared["n_votes_kept"]) == (12, 9)
    assert (compared["mean_all"], compared["mean_kept"]) == (15 / 4, pytest.approx(14 / 3))
    assert compared["difference"] == pytest.approx(14 / 3 - 15 / 4)
    html = page(client, experiment)
    assert "Excluded from all figures: 1 listener. sub-0004 (reads mail meanwhile)." in html
    assert "With and without exclusions" in html
    assert "0 of these exclusions were made after the conditions were known by name." in html
    assert "+0.92" in html
    lift(experiment=experiment, entry_id=entry.pk, actor=experiment.owner, reason="it was another person")
    assert read_result(experiment=experiment, slug="mos", simulated=False)["stale"]
    refresh()
    assert [row["mos"] for row in table(experiment)["rows"]] == [15 / 4]
    assert "With and without exclusions" not in page(client, experiment)


def test_the_model_is_compared_with_and_without(client: Client) -> None:
    """In a balanced test the model's means are the plain ones, so that both can be computed by hand."""
    experiment = make_experiment(seats=4, items=4, conditions=2)
    given: dict[str, list[list[int]]] = {}
    for number in range(4):
        ballot = seated_visit(experiment).seat.ballot
        for place, trial in enumerate(ballot.trials.unanswered().order_by("position")):
            condition = trial.slots.get().stimulus.condition.name
            value = 1 if number == 3 else 2 + (number + place * place) % 3 + condition.endswith("1")
            given.setdefault(condition, [[], [], [], []])[number].append(value)
            assert cast_vote(ballot_id=ballot.pk, event=vote_event(trial, value=value)).status == "stored"
    out(experiment, "the same answer throughout", listener="sub-0004")
    refresh()
    experiment = unblind_all(experiment)
    found = {row["condition"]: row for row in table(experiment)["with_and_without"]}
    for condition, by_listener in given.items():
        everything, kept = sum(map(sum, by_listener)) / 16, sum(map(sum, by_listener[:3])) / 12
        row = found[condition]
        assert (row["model_all"], row["model_kept"]) == (pytest.approx(everything), pytest.approx(kept))
        assert row["model_difference"] == pytest.approx(kept - everything)
    html = page(client, experiment)
    assert "Difference by the model" in html
    base, other = sorted(found)
    (compared,) = differences_with_and_without(table(experiment), base).rows
    assert (compared["condition"], compared["against"]) == (other, base)
    for part in ("all", "kept"):
        assert compared[part] == pytest.approx(found[other][f"model_{part}"] - found[base][f"model_{part}"])
    (turned,) = differences_with_and_without(table(experiment), other).rows
    assert turned["change"] == pytest.approx(compared["all"] - compared["kept"])
    assert "Differences with and without exclusions" in html


def unblind_all(experiment: Experiment) -> Experiment:
    return unblind(experiment=experiment, actor=experiment.owner, reason="a test")


def test_one_trial_is_left_out_and_its_listener_still_counts_as_complete() -> None:
    experiment = listened(5, 2)
    position = Score.objects.filter(value=2).earliest("vote__trial__position").vote.trial.position
    out(experiment, "a door", listener="sub-0002", position=position)
    refresh()
    found = table(experiment)
    assert [(row["mos"], row["n_votes"], row["n_listeners"]) for row in found["rows"]] == [(3.5, 5, 2)]
    assert [row["mos"] for row in found["votes_level"]] == [pytest.approx((3 * 5 + 2 * 2) / 5)]
    assert [row["code"] for row in found["warnings"] if row["code"] == "incomplete_listeners"] == []


def test_everybody_can_be_excluded(client: Client) -> None:
    experiment = listened(5)
    out(experiment, "a test of the set-up", panel=1, seat=1)
    refresh()
    assert table(experiment)["rows"] == []
    (compared,) = table(experiment)["with_and_without"]
    assert (compared["mean_all"], compared["mean_kept"], compared["difference"]) == (5.0, None, None)
    assert "sub-0001, panel 1, seat 1 (a test of the set-up)" in page(client, experiment)


def test_excluded_answers_are_kept_and_marked_in_every_file(client: Client) -> None:
    experiment = listened(5, 1)
    answers = Vote.objects.filter(ballot__experiment=experiment)
    assert answers.count() == 6
    out(experiment, "asleep", listener="sub-0002")
    refresh()
    assert answers.count() == 6
    client.force_login(experiment.owner)
    api = f"/api/v1/experiments/{experiment.slug}/"
    rows = list(csv.DictReader(io.StringIO(client.get(f"{api}votes.csv").getvalue().decode())))
    told = {(row["subject_id"], row["value"], row["excluded"], row["exclusion_reason"]) for row in rows}
    assert told == {("sub-0001", "5.0", "false", ""), ("sub-0002", "1.0", "true", "asleep")}
    assert len(rows) == 6
    wide = list(csv.DictReader(io.StringIO(client.get(f"{api}wide.csv").getvalue().decode())))
    assert [(row["subject_1"], row["subject_2"]) for row in wide] == 3 * [("5", "")]  # the column stays
    clips = list(csv.DictReader(io.StringIO(client.get(f"{api}votes_per_clip.csv").getvalue().decode())))
    assert {(row["n"], row["MOS"]) for row in clips} == {("1", "5.0")}
    (conditions,) = csv.DictReader(io.StringIO(client.get(f"{api}votes_per_cond.csv").getvalue().decode()))
    assert (conditions["n"], conditions["MOS"]) == ("3", "5.0")
    with zipfile.ZipFile(io.BytesIO(client.get(f"{api}dataset.zip").getvalue())) as archive:
        read = {name.rsplit("/", 1)[-1]: archive.read(name).decode() for name in archive.namelist()}
    wide = list(csv.DictReader(io.StringIO(read["results_QUALITY.csv"])))
    assert [(row["subject_1"], row["subject_2"]) for row in wide] == 3 * [("5", "")]
    people = next(text for name, text in read.items() if "participants_data.csv" in name)
    rows = list(csv.DictReader(io.StringIO(people)))
    named = {(row["subject_id"], row["excluded"], row["exclusion_reason"]) for row in rows}
    assert named == {("sub-0001", "false", ""), ("sub-0002", "true", "asleep")}
    ledger = next(text for name, text in read.items() if "exclusions_data.csv" in name)
    (entry,) = csv.DictReader(io.StringIO(ledger))
    assert (entry["subject_id"], entry["reason"], entry["made_by"]) == ("sub-0002", "asleep", experiment.owner.username)
    assert (entry["after_unblinding"], entry["lifted_at"]) == ("false", "")


@pytest.mark.parametrize(("protocol", "file"), [("tcsd_plane", "authors_sheet.csv"), ("thumbs", "thumbs_long.csv")])
def test_every_protocol_leaves_excluded_answers_out_and_marks_them(client: Client, protocol: str, file: str) -> None:
    experiment, rng = make_experiment(seats=3, items=3, protocol=protocol), Random(1)
    for _ in range(3):
        ballot = seated_visit(experiment).seat.ballot
        for trial in ballot.trials.filter(kind="test").order_by("position"):
            payload = get_protocol(protocol).example(plan_of(trial, trial.slots.all()), rng)
            assert cast_vote(ballot_id=ballot.pk, event=vote_event(trial, payload=payload)).status == "stored"

    def tables() -> dict[str, Any]:
        refresh()
        return dict(read_result(experiment=experiment, slug=protocol, simulated=False)["table"])

    def model(found: dict[str, Any]) -> dict[tuple[str, str], float]:
        return {(row["scale"], row["condition"]): row["mean"] for row in found["model_level"]}

    everything = model(tables()) if ALL else {}  # that it is the mean of everybody, the test of the model above shows
    out(experiment, "asleep", listener="sub-0002")
    result = tables()
    compared = result["with_and_without"]
    assert all(0 < row["n_votes_kept"] < row["n_votes_all"] for row in compared)
    assert model(result)
    assert bool(everything) == ALL
    for part, means in (("model_all", everything), ("model_kept", model(result)))[not ALL :]:
        found = {(row["scale"], row["condition"]): row[part] for row in compared if row[part] is not None}
        assert found == pytest.approx({key: means[key] for key in found})
        assert found.keys() == means.keys()
    assert "Excluded from all figures: 1 listener. sub-0002 (asleep)." in page(client, experiment)
    content = client.get(f"/api/v1/experiments/{experiment.slug}/results/{protocol}/files/{file}").getvalue().decode()
    told = {(row["excluded"], row["exclusion_reason"]) for row in csv.DictReader(io.StringIO(content))}
    assert told == {("false", ""), ("true", "asleep")}


def test_files_of_abx_are_made_of_the_answers_that_count(client: Client) -> None:
    experiment, rng = make_experiment(seats=2, protocol="abx", options={"repetitions": 2}), Random(1)
    for _ in range(2):
        ballot = seated_visit(experiment).seat.ballot
        for trial in ballot.trials.order_by("position"):
            payload = get_protocol("abx").example(plan_of(trial, trial.slots.all()), rng)
            assert cast_vote(ballot_id=ballot.pk, event=vote_event(trial, payload=payload)).status == "stored"
    files = ("abx_pairs.csv", "abx_items.csv", "abx_listeners.csv", "abx_trials.csv")

    def read(name: str) -> list[dict[str, str]]:
        content = client.get(f"/api/v1/experiments/{experiment.slug}/results/abx/files/{name}").getvalue().decode()
        return list(csv.DictReader(io.StringIO(content)))

    client.force_login(experiment.owner)
    refresh()
    everything = {name: read(name) for name in files}
    out(experiment, "asleep", listener="sub-0002")
    refresh()
    kept = {name: read(name) for name in files}
    assert kept["abx_trials.csv"] == [row for row in everything["abx_trials.csv"] if row["rater"] == "1"]
    assert {row["rater"] for row in kept["abx_listeners.csv"]} == {"1"}
    for name in ("abx_pairs.csv", "abx_items.csv"):
        assert [2 * int(row["n_trials"]) for row in kept[name]] == [int(row["n_trials"]) for row in everything[name]]


def answer_screened(experiment: Experiment) -> None:
    """Twelve clips; three listeners who agree, and one who gives 3 throughout and answers at once."""
    for number in range(4):
        ballot = seated_visit(experiment).seat.ballot
        for trial in ballot.trials.unanswered().prefetch_related("slots__stimulus__item"):
            [slot] = trial.slots.all()
            item = int(slot.stimulus.item.name.removeprefix("secretitem"))
            heard = {"plays": 1, "heard_full": True, "answer_ms": 100 if number == 3 else 1500}
            event = vote_event(trial, value=3 if number == 3 else 1 + item % 5, heard=heard)
            assert cast_vote(ballot_id=ballot.pk, event=event).status == "stored"
    refresh()


def test_rules_propose_listeners_with_figures_and_one_button_excludes_them(
    client: Client, screened: Experiment
) -> None:
    experiment = screened
    client.force_login(experiment.owner)
    address = f"/experiments/{experiment.slug}/exclusions/"
    html = " ".join(unescape(client.get(address).content.decode()).split())
    assert html.count("Exclude 1 listener<") == 4  # correlations, variance, median response time
    assert "sub-0004 100" in html
    assert not [name for name in ("secretcondition", "secretitem") if name in html]
    refused = client.post(f"{address}rules/", {"rule": "quick", "threshold": "50"})
    assert refused.status_code == 409
    assert "The rule finds nobody who is not excluded already." in refused.content.decode()
    assert client.get(address, {"rule": "quick", "threshold": "-1"}).status_code == 400
    assert "sub-0001 1500" in unescape(client.get(address, {"rule": "quick", "threshold": "2000"}).content.decode())
    answer = client.post(f"{address}rules/", {"rule": "p913", "threshold": "0.75"})
    assert (answer.status_code, answer.headers["Location"]) == (302, address)
    html = " ".join(unescape(client.get(address).content.decode()).split())
    assert "p913: 0 (QUALITY, threshold 0.75)" in html
    assert "Exclude 1 listener<" not in html  # the other rules find the same one
    refresh()
    assert "sub-0004 (p913: 0 (QUALITY, threshold 0.75))" in page(client, experiment)
    assert "quick" in str(
        read_result(experiment=experiment, slug="mos", simulated=False, long=True)["table"]["screening"]
    )


def test_a_viewer_sees_the_ledger_and_changes_nothing(client: Client) -> None:
    experiment = listened(5, 1)
    entry = out(experiment, "asleep", listener="sub-0002")
    viewer = make_user()
    share(experiment=experiment, actor=experiment.owner, colleague_name=viewer.username, role="viewer")
    client.force_login(viewer)
    address = f"/experiments/{experiment.slug}/exclusions/"
    assert "asleep" in client.get(address).content.decode()
    asked = {"whom": "sub-0001", "what": "listener", "reason": "no"}
    assert client.post(address, asked).status_code == 403
    assert client.post(f"{address}{entry.pk}/lift/", {"reason": "no"}).status_code == 403
    assert client.post(f"{address}rules/", {"rule": "quick", "threshold": "500"}).status_code == 403


def test_a_registered_plan_is_part_of_the_design_hash_and_the_results_say_what_was_kept(client: Client) -> None:
    experiment = make_experiment(live=False, seats=4, items=12, conditions=1)
    before = design_digest(experiment)
    client.force_login(experiment.owner)
    address = f"/experiments/{experiment.slug}/analysis-plan/"
    asked = {"scale": "QUALITY", "model": "listeners", "margin": "0.2", "rule_quick": "500", "rule_p913": "0.5"}
    assert client.post(address, asked | {"scale": ""}).status_code == 400
    assert client.post(address, asked).status_code == 302
    experiment = go_live(experiment=Experiment.objects.get(pk=experiment.pk), actor=experiment.owner)
    plan = {"scale": "QUALITY", "against": "", "margin": 0.2, "model": "listeners"}
    assert experiment.analysis_plan == plan | {"rules": {"p913": 0.5, "quick": 500.0}}
    assert experiment.design_sha256 != before
    refused = client.post(address, asked | {"margin": "0.5"})
    assert (refused.status_code, "this needs it to be draft" in refused.content.decode()) == (409, True)
    answer_screened(experiment)
    html = page(client, experiment)
    assert "Registered model, as registered: means over listeners." in html
    assert "not applied to all it finds: Median response time (ms), threshold 500, not excluded: sub-0004." in html
    apply_rule(experiment=experiment, actor=experiment.owner, rule="quick", threshold=None)
    out(experiment, "late", listener="sub-0001")
    refresh()
    html = page(client, experiment)
    assert "Registered rule, applied as registered: Median response time (ms), threshold 500, found 1." in html
    assert "Exclusion that no registered rule covers: sub-0001 (late)." in html
    assert f"Registered before the first answer (SHA-256 {plan_sha256(experiment.analysis_plan)[:12]})" in html
    assert "?margin=0.2" in html  # the page takes the registered margin unless another is asked for
    Experiment.objects.filter(pk=experiment.pk).update(analysis_plan=plan | {"rules": {}})
    with pytest.raises(AppError, match="has changed since"):
        check_design(Experiment.objects.get(pk=experiment.pk))


REGISTERED = {"scale": "QUALITY", "against": "secretcondition1", "margin": 0.25, "model": "mixed", "rules": {}}


@pytest.fixture(scope="module")
def shared_registered(module_db: None) -> Experiment:
    """Four listeners who have answered after a plan was registered, the results computed."""
    plan = REGISTERED
    experiment = make_experiment(live=False, seats=4, items=4, conditions=3)
    edit_experiment(experiment=experiment, actor=experiment.owner, analysis_plan=plan)
    experiment = go_live(experiment=Experiment.objects.get(pk=experiment.pk), actor=experiment.owner)
    assert plan_outcomes(plan, {}, blind=False) == []
    for number in range(4):
        ballot = seated_visit(experiment).seat.ballot
        for place, trial in enumerate(ballot.trials.unanswered().order_by("position")):
            condition = trial.slots.get().stimulus.condition.name
            value = 1 + (number + place * place) % 3 + 2 * condition.endswith("2")
            assert cast_vote(ballot_id=ballot.pk, event=vote_event(trial, value=value)).status == "stored"
    refresh()
    return experiment


@pytest.mark.parametrize("model", ["mixed", "listeners"])
def test_the_registered_contrast_and_margin_stand_on_the_page_and_in_the_report(
    client: Client, shared_registered: Experiment, model: str
) -> None:
    plan, against = REGISTERED | {"model": model}, REGISTERED["against"]
    Experiment.objects.filter(pk=shared_registered.pk).update(analysis_plan=plan)
    experiment = Experiment.objects.get(pk=shared_registered.pk)
    blind = read_result(experiment=experiment, slug="mos", simulated=False)
    told = " ".join(outcome.sentence for outcome in plan_outcomes(plan, blind["table"], blind=True))
    assert "Primary scale, as registered: QUALITY." in told
    assert "Registered contrast" not in told
    pairs = plan_outcomes(plan | {"against": ""}, blind["table"], blind=True)
    assert [outcome.sentence.partition(":")[0] for outcome in pairs[-2:]] == [
        "Registered contrast, all pairs",
        "Registered margin 0.25",
    ]
    assert pairs[-1].sentence.endswith(" of 3 pairs are equivalent (90 % CI).")
    unblind_all(experiment)
    experiment = Experiment.objects.get(pk=experiment.pk)
    found = table(experiment)
    part = "contrasts" if model == "mixed" else "differences"
    rows = [row for row in found[part] if row["against"] == against]
    assert len(rows) == 2
    client.force_login(experiment.owner)
    report = unescape(client.get(f"/experiments/{experiment.slug}/report/").content.decode())
    for html in (page(client, experiment), " ".join(report.split())):
        for row in rows:
            figures = (
                f"{signed(row['difference'])}, 95 % CI {signed(row['ci_low'])} – {signed(row['ci_high'])}, p (Holm) "
            )
            assert f"Registered contrast: {row['condition']} − {against} (QUALITY) {figures}" in html
        assert f"Registered margin 0.25: equivalence of secretcondition2 − {against} is not shown, 90 % CI" in html
    shown = experiment_report(experiment=experiment, simulated=False, now=timezone.now())["tables"]
    (differences,) = (each["table"] for each in shown if each["table"].id == "differences")
    assert {row["against"] for row in differences.rows} == {against}
    assert "equivalent" in differences.rows[0]
    gone = plan_outcomes(plan | {"against": "elsewhere"}, found, blind=False)
    assert "Registered contrast, not available: against elsewhere." in [outcome.sentence for outcome in gone]


def test_a_registered_contrast_is_by_the_model_also_where_other_differences_have_its_name() -> None:
    plan = {"scale": "TC", "against": "c", "margin": 0.5, "model": "mixed", "rules": {}}
    about = {"scale": "TC", "against": "c", "ci_low": -0.1, "ci_high": 0.3, "se": 0.1, "df": 10.0}
    modelled = [
        about | {"condition": "a", "difference": 0.1, "p": 0.04, "p_holm": 0.9},
        about | {"condition": "b", "difference": 0.4, "p": 0.01, "p_holm": 0.9},
    ]
    table = {"counts": {"marks": 9}, "rows": [{"scale": "TC"}], "model_contrasts": modelled}
    table |= {"contrasts": [about | {"condition": "a", "difference": 9.0, "p": 0.5}]}
    told = [outcome.sentence for outcome in plan_outcomes(plan, table, blind=False)]
    assert told[-4:] == [
        "Registered contrast: a − c (TC) +0.10, 95 % CI −0.10 – +0.30, p (Holm) 0.040.",
        "Registered contrast: b − c (TC) +0.40, 95 % CI −0.10 – +0.30, p (Holm) 0.020.",
        "Registered margin 0.50: a − c is equivalent, 90 % CI −0.08 – +0.28.",
        "Registered margin 0.50: equivalence of b − c is not shown, 90 % CI +0.22 – +0.58.",
    ]
    unknown = plan_outcomes(plan | {"scale": "SD"}, table, blind=False)
    assert [outcome.sentence for outcome in unknown if not outcome.kept] == [
        "Primary scale, not available: SD.",
        "Registered model, not available: mixed model.",
        "Registered contrast, not available: against c.",
    ]


def test_a_script_lists_makes_and_lifts_exclusions(screened: Experiment) -> None:
    experiment = screened
    script = bearing(token_of(experiment.owner, "read", "write"))
    api = f"/api/v1/experiments/{experiment.slug}/exclusions/"

    def post(address: str, **body: Any) -> Any:
        return script.post(address, body, content_type="application/json")

    made = post(api, listener="sub-0001", position=2, reason="a door")
    assert made.status_code == 201
    expected = {"kind": "trial", "listener": "sub-0001", "panel": 1, "seat": 1, "position": 2, "reason": "a door"}
    assert {name: made.json()[name] for name in expected} == expected
    assert post(api, listener="sub-0001", panel=1, seat=1, reason="both").status_code == 400
    assert post(api, panel=1, reason="no seat").status_code == 400
    assert post(api, panel=1, seat=9, reason="no such seat").json()["code"] == "seat.unknown"
    rules = {row["rule"]: row for row in script.get(f"{api}rules/").json()}
    assert rules["quick"]["found"] == [{"listener": "sub-0004", "figure": 100.0, "scale": ""}]
    assert post(f"{api}rules/", rule="p913", threshold=7).json()["code"] == "exclusion.threshold"
    (applied,) = post(f"{api}rules/", rule="quick").json()
    figures = {"listener": "sub-0004", "rule": "quick", "figure": 100.0, "threshold": 500.0}
    assert {name: applied[name] for name in figures} == figures
    lifted = post(f"{api}{applied['id']}/lift/", reason="a fast listener")
    assert (lifted.status_code, lifted.json()["lifted_by"]) == (200, experiment.owner.username)
    rows = script.get(api).json()["results"]
    assert [(row["position"], row["lifted_reason"]) for row in rows] == [(None, "a fast listener"), (2, "")]
    assert bearing(token_of(experiment.owner, "read", name="reader")).post(api, {}).status_code == 403


def test_bias_and_every_rules_figure_of_a_listener_are_on_the_page_with_the_fallback_named(
    client: Client, experiment: Experiment
) -> None:
    """Marks 5, 5, 4 and 1 on every clip: nobody is inconsistent, so the weighted estimate has nothing to weigh by."""
    found = table(experiment)
    by_listener = {row["listener"]: row for row in found["listener_bias"]}
    assert [row["bias"] for row in by_listener.values()] == pytest.approx([1.25, 1.25, 0.25, -2.75])
    assert {row["method"] for row in by_listener.values()} == {"bias_removed"}
    assert all(row["collapsed"] for row in by_listener.values())
    assert [row["quality"] for row in found["quality"]] == pytest.approx([15 / 4])
    html = page(client, experiment)
    assert "the weighted estimate collapsed" in html
    assert "Bias and inconsistency (P.910)" in html
    files = f"/api/v1/experiments/{experiment.slug}/results/mos/files"
    rows = list(csv.DictReader(io.StringIO(text_of(client, f"{files}/table-screening-scales.csv"))))
    assert [row["listener"] for row in rows] == list(by_listener)
    assert {float(row["p913"]) for row in rows} == {0.0}, "a person who gives the same vote everywhere has no r"
    out(experiment, "reads mail meanwhile", listener="sub-0004")
    refresh()
    assert [row["bias"] for row in table(experiment)["listener_bias"]] == pytest.approx([1 / 3, 1 / 3, -2 / 3])


def text_of(client: Client, address: str) -> str:
    return b"".join(client.get(address)).decode()
