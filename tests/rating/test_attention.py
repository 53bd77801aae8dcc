"""Attention checks: placed by chance in every plan, unseen by listeners, judged, and in no mean."""

import csv
import io
import zipfile
from copy import deepcopy
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from analysis.datasets import read_scores
from analysis.reports.messages import fill_methods_text
from analysis.services.results import read_result
from core.models import AuditEntry
from listening.design.base import DesignRequest
from listening.models import Seat
from listening.panels.services import designs, extensions, monitoring, panels
from rating.attention import Check, checkable, expected_examples, expected_of, place_checks, written_ranges
from rating.models import Ballot, Experiment, Trial
from rating.protocol import CHECKS, Entry, Protocol, ScaleProtocol, TrialKind, TrialPlan, pages_of
from rating.registry import get_protocol, protocols
from rating.services.attention import change_checks, check_clips, outcomes
from rating.services.experiments import design_digest, go_live
from rating.services.verification import ballot_problems
from rating.services.votes import cast_vote
from stimuli.imports.layouts import role_of
from stimuli.models import Condition
from stimuli.services.collections import NewSound, add_stimuli
from tests.errors import raises_error
from tests.factories import consent_to, make_experiment, make_panel_experiment, sit_down, tone, vote_event
from tests.scale import ALL

pytestmark = pytest.mark.django_db

KINDS = tuple(str(kind) for kind in CHECKS)


def clips(experiment: Experiment) -> None:
    """Two traps and a gold clip in the experiment's collection; the table expects something of one of them."""
    role = Condition.Role
    add_stimuli(
        collection=experiment.collection,
        sounds=[
            NewSound("say-2", "trap", tone(510), role.TRAP, factors={"expected": "2"}),
            NewSound("say-4", "trap", tone(520), role.TRAP),
            NewSound("clean", "gold", tone(530), role.GOLD),
        ],
    )


EXPECTED = {("say-2", "trap"): "2", ("say-4", "trap"): "4", ("clean", "gold"): "4-5"}


def checked(experiment: Experiment, *, repeats: int = 2) -> Experiment:
    clips(experiment)
    return change_checks(experiment=experiment, repeats=repeats, expected=EXPECTED, actor=experiment.owner)


@pytest.fixture(scope="module")
def shared_acr(module_db: None) -> Experiment:
    return checked(make_experiment(live=False, items=6, conditions=2, options={"practice": 1}))


@pytest.fixture
def acr(shared_acr: Experiment) -> Experiment:
    return deepcopy(shared_acr)


# --- Placement --------------------------------------------------------------------------------------------------------


def heard(plan: list[TrialPlan]) -> list[tuple[int, str, str]]:
    """Session, kind and clip of what is heard, once for each clip."""
    rows = [(trial.session, str(trial.kind), trial.slots[-1].entry.stimulus) for trial in plan]
    return [row for number, row in enumerate(rows) if number == 0 or rows[number - 1] != row]


@pytest.mark.parametrize("slug", ["acr", "p835", "dcr"])
@pytest.mark.parametrize("seed", range(8 if ALL else 2))
def test_checks_are_spread_never_first_never_together_and_change_nothing_else(slug: str, seed: int) -> None:
    protocol = get_protocol(slug)
    assert isinstance(protocol, ScaleProtocol)
    entries = [
        Entry(f"{item}/{name}", item, name, "reference" if name == "ref" else "test")
        for item in map(str, range(10))
        for name in ("ref", "C1", "C2")
    ]
    options: dict[str, Any] = {**protocol.defaults, "practice": 0}
    plan = list(protocol.plan(entries, options, Random(seed)))
    extra = [Entry(f"check{number}", f"check{number}", "trap", "trap") for number in range(3)]
    page = len(next(iter(pages_of(entries, protocol.page_holds).values())))
    checks = [Check(TrialKind.TRAP, (entry,) * page) for entry in extra]

    def placed() -> list[TrialPlan]:
        return place_checks(plan, checks=checks, repeats=2, protocol=protocol, rng=Random(f"{seed}/checks"))

    made = heard(placed())
    assert placed() == placed()
    assert [trial for trial in placed() if trial.kind not in CHECKS] == plan
    numbers = [number for number, (_, kind, _) in enumerate(made) if kind in KINDS]
    assert sorted(clip for _, kind, clip in made if kind == "trap") == ["check0", "check1", "check2"]
    assert len(numbers) == 5
    assert all(later - earlier > 1 for earlier, later in pairwise(numbers))
    for number in numbers:
        assert made[number - 1][0] == made[number][0]  # the same session goes on
        assert made[number - 1][1] == "test"
    half = len(made) // 2
    assert min(numbers) < half < max(numbers)
    for number in numbers:
        if made[number][1] == "repeat":
            first = next(
                place for place, (_, kind, clip) in enumerate(made) if (kind, clip) == ("test", made[number][2])
            )
            assert number - first >= len(made) // 5
    for trial in placed():
        if trial.kind in CHECKS:  # all scales are asked, as on every clip
            asked = [one.ask for one in placed() if one.slots == trial.slots and one.kind == trial.kind]
            assert {scale for ask in asked for scale in ask} == {scale.key for scale in protocol.scales}


def test_too_many_checks_are_refused_with_the_number_that_fits(acr: Experiment) -> None:
    change_checks(experiment=acr, repeats=4, expected=EXPECTED, actor=acr.owner)
    with raises_error("checks.too_many", match="Use 6 at most"):
        panels.create_panel(experiment=Experiment.objects.get(pk=acr.pk), seats=1, actor=acr.owner)


# --- Settings ---------------------------------------------------------------------------------------------------------


def test_an_expected_answer_is_a_number_or_a_range_within_the_scale() -> None:
    p835 = get_protocol("p835")
    assert expected_of("4-5", get_protocol("acr")) == {"QUALITY": (4, 5)}
    assert expected_of("2", p835) == {"SIG": (2, 2), "BAK": (2, 2), "OVRL": (2, 2)}
    found = expected_of("SIG 1-2, OVRL 1", p835)
    assert found == {"SIG": (1, 2), "OVRL": (1, 1)}
    assert expected_of(written_ranges(found, p835), p835) == found
    assert written_ranges(expected_of("2", p835), p835) == "2"
    for wrong in ("good", "6", "5-4", "LOUD 3", "SIG"):
        with raises_error("checks.expected_unreadable"):
            expected_of(wrong, p835)


@pytest.mark.parametrize("protocol", [one for one in protocols().values() if checkable(one)], ids=lambda one: one.slug)
def test_the_examples_of_expected_answers_fit_the_scales_of_their_protocol(protocol: Protocol) -> None:
    examples = expected_examples(protocol)
    assert all(expected_of(text, protocol) for text in examples.values() if text)
    assert bool(examples["single"]) == (len(protocol.scales) > 1)


def test_folders_called_trap_and_gold_have_that_role() -> None:
    assert [role_of(name) for name in ("trap", "Traps", "gold", "golden")] == ["trap", "trap", "gold", "test"]


def test_the_page_proposes_the_tables_answer_saves_and_says_what_is_wrong_beside_it(client: Client) -> None:
    experiment = make_experiment(live=False, items=6)
    clips(experiment)
    client.force_login(experiment.owner)
    address = f"/experiments/{experiment.slug}/checks/"
    assert address in client.get(f"/experiments/{experiment.slug}/design/").content.decode()
    fields = {
        f"clip{number}": EXPECTED[clip.item.name, clip.condition.name]
        for number, clip in enumerate(check_clips(experiment), start=1)
    }
    page = client.get(address).content.decode()
    assert page.count('value="2"') == 1
    assert "for example 1 or 4-5." in page
    assert "OVRL" not in page  # a scale of another protocol
    refused = client.post(address, {"repeats": 1, **fields, "clip1": "seven"})
    assert refused.status_code == 400
    assert "is no expected answer" in refused.content.decode()
    assert client.post(address, {"repeats": 1, **fields, "clip1": ""}).status_code == 302
    kept = Experiment.objects.get(pk=experiment.pk).checks
    assert (len(kept["clips"]), kept["repeats"]) == (2, 1)
    changed = AuditEntry.objects.filter(action="experiment.checks_changed", target=f"experiment/{experiment.slug}")
    assert changed.count() == 1
    panels.create_panel(experiment=Experiment.objects.get(pk=experiment.pk), seats=1, actor=experiment.owner)
    assert client.post(address, {"repeats": 0}).status_code == 409
    assert Experiment.objects.get(pk=experiment.pk).checks == kept


def test_a_protocol_that_rates_no_single_clips_has_none(client: Client) -> None:
    experiment = make_experiment(live=False, protocol="tcsd_plane")
    client.force_login(experiment.owner)
    assert "so it has no attention checks" in client.get(f"/experiments/{experiment.slug}/checks/").content.decode()
    with raises_error("checks.not_for_protocol"):
        change_checks(experiment=experiment, repeats=1, expected={}, actor=experiment.owner)


def test_the_frozen_hash_covers_the_checks(acr: Experiment) -> None:
    before = design_digest(acr)
    other = change_checks(experiment=acr, repeats=1, expected=EXPECTED, actor=acr.owner)
    assert design_digest(other) != before


# --- Listeners --------------------------------------------------------------------------------------------------------


def test_nothing_that_a_listener_gets_tells_a_check_from_a_clip(acr: Experiment) -> None:
    panels.create_panel(experiment=acr, seats=1, actor=acr.owner)
    live = go_live(experiment=acr, actor=acr.owner)
    sitting = sit_down(live)
    pages = sitting.client.get(f"{sitting.api}upcoming/?limit=50").json()["trials"]
    stored = list(Trial.objects.filter(ballot=sitting.ballot).order_by("position"))
    assert sorted({trial.kind for trial in stored}) == ["gold", "practice", "repeat", "test", "trap"]
    assert len(stored) == 1 + 12 + 3 + 2
    assert {page["kind"] for page in pages} == {"practice", "test"}
    for word in ("trap", "gold", "repeat", "say-2"):
        assert word not in str(pages)
    page = sitting.client.get(sitting.link, follow=True).content.decode()
    assert "trap" not in page


def answer(experiment: Experiment, values: dict[str, int], *, second: int = 3) -> Seat:
    """Take the first open seat and answer all: traps and gold as given, the test with 3, repeats with the second."""
    seat = Seat.objects.filter(panel__experiment=experiment, state=Seat.State.OPEN).order_by("number")[0]
    consent_to(seat)
    for trial in seat.ballot.trials.order_by("position").prefetch_related("slots__stimulus__item"):
        usual = second if trial.kind == "repeat" else 3
        value = values.get(trial.slots.all()[0].stimulus.item.name, usual)
        cast_vote(ballot_id=seat.ballot_id, event=vote_event(trial, value=value))
    return seat


def test_outcomes_are_on_the_monitor_in_the_dataset_and_in_the_text_and_in_no_mean(
    acr: Experiment, client: Client
) -> None:
    panels.create_panel(experiment=acr, seats=2, actor=acr.owner)
    live = go_live(experiment=acr, actor=acr.owner)
    good = answer(live, {"say-2": 2, "say-4": 4, "clean": 5}, second=4)
    bad = answer(live, {"say-2": 2, "say-4": 1, "clean": 3})

    found = outcomes(experiment=live, ballots=[good.ballot_id, bad.ballot_id])
    assert [(found[seat.ballot_id].passed, found[seat.ballot_id].failed) for seat in (good, bad)] == [(3, 0), (1, 2)]
    assert (found[good.ballot_id].difference, found[bad.ballot_id].difference) == (1.0, 0.0)
    assert found[good.ballot_id].correlation is None  # two pairs are too few

    lines = monitoring.experiment_status(experiment=live, now=timezone.now())["lines"]
    assert ["attention" in line["flags"] for line in lines] == [False, True]
    client.force_login(live.owner)
    page = client.get(f"/experiments/{live.slug}/monitor/").content.decode()
    assert "3/3" in page
    assert "Attention check failed" in page

    scores = read_scores(live, simulated=False)
    assert set(scores["value"][scores["kind"] == "test"]) == {3.0}
    assert set(scores["kind"]) == {"practice", "test"}
    packed = client.get(f"/api/v1/experiments/{live.slug}/dataset.zip").getvalue()
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        named = {name.rpartition("description-")[2]: archive.read(name).decode() for name in archive.namelist()}
    people = list(csv.DictReader(io.StringIO(named["participants_data.csv"])))
    columns = ("checks_passed", "checks_failed", "repeat_pairs", "repeat_difference", "repeat_r", "repeat_ccc")
    assert [tuple(row[name] for name in columns) for row in people] == [
        ("3", "0", "2", "1.0", "", "0.0"),
        ("1", "2", "2", "0.0", "", ""),
    ]
    kinds = [row["kind"] for row in csv.DictReader(io.StringIO(named["responses_data.csv"]))]
    assert [kinds.count(kind) for kind in KINDS] == [4, 2, 4]

    told = fill_methods_text(live, read_result(experiment=live, slug="mos", simulated=False), [], counts={})
    assert "heard 2 trap clips and 1 gold clips with a known answer, and 2 clips twice" in told
    assert "1 of 2 listeners answered every trap and gold clip as expected" in told
    assert list(ballot_problems(Ballot.objects.get(pk=good.ballot_id))) == []


def test_a_design_is_the_same_with_checks_in_its_seats_and_an_extension_has_them_too() -> None:
    experiment = checked(make_panel_experiment(items=12))
    wanted = DesignRequest(panels=1, seats=2, size=8, sessions=2)
    draft = designs.draft_design(experiment=experiment, wanted=wanted)
    designs.adopt_draft(experiment=experiment, draft=draft, actor=experiment.owner)
    experiment = Experiment.objects.get(pk=experiment.pk)
    more = extensions.draft_extension(experiment=experiment, listeners=1)
    extensions.adopt_extension(experiment=experiment, draft=more, reason="", actor=experiment.owner)
    experiment.refresh_from_db()
    assert designs.verify_design(experiment).holds
    assert tuple(designs.layout_of(experiment).sequences)[:2] == draft.layout.sequences
    for seat in Seat.objects.filter(panel__experiment=experiment):
        kinds = list(seat.ballot.trials.filter(kind__in=KINDS).values_list("kind", "session"))
        assert len(kinds) == 3 * 5  # three scales
        assert {session for _, session in kinds} == {1, 2}
        assert [kind for kind, _ in kinds].count("repeat") == 6


def test_the_api_reads_and_replaces_checks_and_the_analysis_plan(client: Client) -> None:
    experiment = make_experiment(live=False, items=6, conditions=2)
    clips(experiment)
    client.force_login(experiment.owner)
    base, kind = f"/api/v1/experiments/{experiment.slug}/", "application/json"
    told = client.get(f"{base}checks/").json()
    assert (told["repeats"], [clip["expected"] for clip in told["clips"]]) == (0, ["", "", ""])
    used = [{"item": item, "condition": name, "expected": text} for (item, name), text in EXPECTED.items()]
    answer = client.put(f"{base}checks/", {"repeats": 2, "clips": used[:2]}, content_type=kind)
    assert (answer.status_code, answer.json()["repeats"]) == (200, 2)
    assert sorted(clip["expected"] for clip in client.get(f"{base}checks/").json()["clips"]) == ["", "2", "4"]
    unknown = [{"item": "x", "condition": "trap", "expected": "1"}]
    assert client.put(f"{base}checks/", {"repeats": 0, "clips": unknown}, content_type=kind).status_code == 400
    far = [used[0] | {"expected": "9"}]
    wrong = client.put(f"{base}checks/", {"repeats": 0, "clips": far}, content_type=kind)
    assert (wrong.status_code, wrong.json()["code"]) == (422, "checks.expected_unreadable")

    plan = {"scale": "QUALITY", "against": "secretcondition1", "margin": 0.5, "rules": {"attention": 0.5}}
    answer = client.put(f"{base}analysis-plan/", plan, content_type=kind)
    assert answer.json() == plan | {"model": "mixed"}
    assert Experiment.objects.get(pk=experiment.pk).analysis_plan == client.get(f"{base}analysis-plan/").json()
    for change in ({"scale": "LOUD"}, {"against": "nothing"}, {"rules": {"attention": 2}}, {"rules": {"moon": 1}}):
        wrong = client.put(f"{base}analysis-plan/", plan | change, content_type=kind)
        assert (wrong.status_code, wrong.json()["code"]) == (422, "analysis_plan.unfit")
    assert Experiment.objects.get(pk=experiment.pk).checks["repeats"] == 2
    assert client.put(f"{base}analysis-plan/", {"scale": ""}, content_type=kind).status_code == 200
    assert Experiment.objects.get(pk=experiment.pk).analysis_plan == {}
