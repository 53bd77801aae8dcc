"""Telemetry beside an answer: typed and bounded, so that no reader of it fails; and the device of a visit."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.exports import csv_lines, vote_row
from listening.participation.access import describe_device
from listening.participation.serializers import read_votes
from rating.models import Vote
from rating.services.votes import cast_vote
from tests.factories import event, make_experiment, new_id, seated_visit, sit_down, vote_event
from tests.scale import ALL

HEARD = {
    "plays": 1,
    "heard_ms": 4210,
    "heard_full": True,
    "sample_rate_hz": 48000,
    "started_ms": 12,
    "ended_ms": 4222,
    "stall_ms": 0,
    "interruptions": ["hidden", "device"],
    "answer_ms": -35,
    "level_db": -2.5,
    "latency_ms": 21,
}
CLOCK = {"wall": "2026-01-01T12:00:00.123Z", "monotonic_ms": 1234.5, "counter": 3}
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=80),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=8,
)
ODD = st.dictionaries(st.sampled_from([*HEARD, *CLOCK, "more"]), ANYTHING)


def read(**parts: Any) -> Any:
    made = event(new_id(), **parts)
    return read_votes({"client": "test", "events": [made]})[0]


def test_what_the_page_sends_is_kept_as_it_is() -> None:
    kept = read(heard=HEARD, clock=CLOCK)
    assert (kept.heard, kept.clock) == (HEARD, CLOCK)


@pytest.mark.parametrize(
    "wrong",
    [
        *({"stall_ms": "x"}, {"interruptions": 5}, {"plays": True}, {"plays": 1.5}, {"heard_ms": 10**400}),
        *({"heard_full": "=cmd|' /C calc'!A0"}, {"level_db": None}, {"answer_ms": []}, {"padding": "x" * 3000}),
        {"heard_ms": "+1+1"},
    ],
)
def test_what_is_unknown_or_unfit_is_left_out_and_the_answer_is_not_lost(wrong: dict[str, Any]) -> None:
    kept = read(heard=HEARD | wrong)
    assert kept.heard == {name: value for name, value in HEARD.items() if name not in wrong}


@pytest.mark.parametrize("wall", ["=HYPERLINK(1)", "noon", 5, "2026-01-01T12:00:00Z" + "0" * 60])
def test_a_clock_that_is_none_is_left_out(wall: Any) -> None:
    assert "wall" not in read(clock=CLOCK | {"wall": wall}).clock


@given(ODD, ODD)
@settings(max_examples=200 if ALL else 25)
def test_whatever_is_sent_what_is_kept_is_small(heard: Any, clock: Any) -> None:
    kept = read(heard=heard, clock=clock)
    assert len(json.dumps([kept.heard, kept.clock])) <= 2048
    assert set(kept.heard) <= set(HEARD)
    assert set(kept.clock) <= set(CLOCK)


@given(ANYTHING | ODD, ANYTHING | st.fixed_dictionaries({"clock": ODD}), ANYTHING)
@settings(max_examples=200 if ALL else 25)
def test_a_download_is_had_of_anything_that_may_have_been_stored(heard: Any, client: Any, flags: Any) -> None:
    mark = {"heard": heard, "client": client, "flags": flags, "detail": {}, "listener": 1, "ballot": new_id()}
    mark |= {"factors": {}, "condition_role": "test"}
    row = vote_row(mark, experiment="e", design_sha256="", condition="A", blind=True)
    assert "".join(csv_lines([row]))


@pytest.mark.django_db
def test_the_monitor_survives_a_vote_that_once_took_it_down(client: Any) -> None:
    experiment = make_experiment(seats=2)
    sitting = sit_down(experiment)
    trial = sitting.upcoming()["trials"][0]["trial"]
    odd = event(trial, heard={"stall_ms": "x", "interruptions": 5})
    assert sitting.vote(odd).json()["results"][0]["status"] == "stored"
    assert Vote.objects.get().heard == {}
    # An older server stored it as it came.
    ballot = seated_visit(experiment).seat.ballot
    for page, heard in zip(ballot.trials.all(), ({"stall_ms": "x", "interruptions": 5}, [1], "x", 7), strict=True):
        made = vote_event(page, heard=heard, clock=[heard])
        assert cast_vote(ballot_id=ballot.pk, event=made).status == "stored"
    client.force_login(experiment.owner)
    assert client.get(f"/experiments/{experiment.slug}/monitor/").status_code == 200
    download = client.get(f"/api/v1/experiments/{experiment.slug}/votes.csv")
    assert len(b"".join(download.streaming_content).splitlines()) == 6


@pytest.mark.parametrize(
    ("user_agent", "browser", "kind"),
    [
        (
            "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML) Chrome/156.0.1.2 Safari/537.36",
            "Chrome 156",
            "desktop",
        ),
        ("Mozilla/5.0 (Windows NT 10.0; rv:144.0) Gecko/20100101 Firefox/144.0", "Firefox 144", "desktop"),
        ("Mozilla/5.0 (iPhone; CPU) AppleWebKit/605 Version/19.1 Mobile/15E148 Safari/604.1", "Safari 19", "phone"),
        ("Mozilla/5.0 (iPad; CPU OS 19) AppleWebKit/605 Version/19.1 Safari/604.1", "Safari 19", "tablet"),
        ("Mozilla/5.0 (Linux; Android 16) Chrome/156.0 Mobile Safari/537 Edg/156.0", "Edge 156", "phone"),
        ("", "other", "desktop"),
    ],
)
def test_a_browser_is_described_in_two_words(user_agent: str, browser: str, kind: str) -> None:
    assert describe_device(user_agent) == {"browser": browser, "device_class": kind}
