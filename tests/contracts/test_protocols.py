"""One contract suite over every registered protocol, over a dummy, and over broken ones that it must find out."""

import json
import math
import shutil
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import count, pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.apps import AppConfig, apps
from django.template.loader import render_to_string
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.registry import get_method, get_report, method_of
from protocols.acr.protocol import AbsoluteCategoryRating
from rating import checks, registry
from rating.protocol import (
    Answer,
    Entry,
    InvalidAnswer,
    Json,
    LabelSet,
    LabelStatus,
    Mark,
    MaterialUnfit,
    PageHolds,
    Protocol,
    Scale,
    ScaleLabels,
    ScaleProtocol,
    TrialKind,
    TrialPlan,
)
from rating.registry import SHARED_VIEW, module_of, protocol_apps, protocols, view_of
from tests.contracts.protocol_material import ENTRIES
from tests.scale import ALL

WRONG_LEAVES = [
    *(None, True, False, "", "5", "x" * 5000, [], [1], {}, {"a": 1}),
    *(math.nan, math.inf, -math.inf, 1e308, 10**400, -(10**400), -1, 0, 2.5, 1e-300),
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


class Dummy(ScaleProtocol):
    """Two scales with steps of their own: what the suite must accept besides whole numbers from 1 to 5."""

    slug = "dummy"
    version = "0.1"
    title = "Dummy"
    scales = (Scale("SMALL", low=0, high=1, step=0.25), Scale("LARGE", low=-50, high=50))
    label_sets = (
        LabelSet(
            id="dummy-en-1",
            language="en",
            version=1,
            status=LabelStatus.DRAFT,
            source="the tests",
            scales={
                "SMALL": ScaleLabels(question="How small?", anchors=((1, "Large"), (0, "Small"))),
                "LARGE": ScaleLabels(question="How large?", anchors=((50, "Large"), (-50, "Small"))),
            },
        ),
    )


REGISTERED: list[Protocol] = list(protocols().values())
EVERY = pytest.mark.parametrize("protocol", [*REGISTERED, Dummy()], ids=lambda protocol: protocol.slug)


def planned(protocol: Protocol, seed: int = 1, entries: Sequence[Entry] = ENTRIES) -> list[TrialPlan]:
    """Plan what the protocol plans, for its last group of people where it has any."""
    used = [
        each
        for each in entries
        if each.role in protocol.roles and (not each.text or each.text["kind"] in protocol.text_kinds)
    ]
    options = {**protocol.defaults, **({"group": protocol.groups.names[-1]} if protocol.groups.names else {})}
    return list(protocol.plan(used, options, Random(seed)))


def check_constants(protocol: Protocol) -> None:
    """The lengths are those of the columns that the words are stored in."""
    assert protocol.slug == protocol.slug.lower()
    assert protocol.slug.isidentifier()
    assert 0 < len(protocol.slug) <= 50
    assert 0 < len(protocol.version) <= 20
    assert protocol.title.strip()
    assert protocol.scales
    assert all(0 < len(scale.key) <= 20 and scale.key == scale.key.upper() for scale in protocol.scales)
    assert all(scale.low < scale.high and scale.step > 0 for scale in protocol.scales)
    assert len({scale.key for scale in protocol.scales}) == len(protocol.scales)
    assert json.loads(json.dumps(dict(protocol.defaults))) == dict(protocol.defaults)
    assert "plays_allowed" in protocol.defaults


def check_label_sets(protocol: Protocol) -> None:
    """Every set names every scale, asks a question, and puts its words on numbers that the scale has."""
    assert protocol.label_sets
    assert len({labels.id for labels in protocol.label_sets}) == len(protocol.label_sets)
    for labels in protocol.label_sets:
        assert set(labels.scales) == {scale.key for scale in protocol.scales}
        assert labels.source.strip()
        assert len(labels.id) <= 100
        assert labels.sha256 == replace(labels).sha256
        assert labels.sha256 != replace(labels, version=labels.version + 1).sha256
        for key, words in labels.scales.items():
            values = [value for value, _ in words.anchors]
            assert words.question.strip()
            assert set(values) <= set(protocol.scale(key).values())
            assert len(set(values)) == len(values)
            assert len({label for _, label in words.anchors}) == len(values)


def check_plan(protocol: Protocol) -> None:
    """Same seed, same trials; another seed, other trials; nothing is planned that was not given."""
    assert planned(protocol, seed=1) == planned(protocol, seed=1)
    assert any(planned(protocol, seed=seed) != planned(protocol, seed=1) for seed in range(2, 8))
    assert planned(protocol, entries=[]) == []
    trials = planned(protocol)
    assert trials
    for trial in trials:
        assert trial.slots
        assert all(slot.entry in ENTRIES for slot in trial.slots)
        assert len({slot.key for slot in trial.slots}) == len(trial.slots)
        assert all(0 < len(slot.key) <= 20 for slot in trial.slots)
        assert set(trial.ask) <= {scale.key for scale in protocol.scales}
        assert trial.session >= 0


def check_blindness(protocol: Protocol) -> None:
    """No page names an item or a condition, and only a protocol that declares it tells which sound is the reference."""
    hidden = ("anchor",) if protocol.shows_reference else ("reference", "anchor")
    names = {name for entry in ENTRIES for name in (entry.stimulus, entry.item, entry.condition)}
    for trial in planned(protocol):
        page = json.dumps(protocol.present(trial), allow_nan=False)
        assert not [name for name in names if name in page]
        assert not [role for role in hidden if role in page]


def check_bot(protocol: Protocol) -> None:
    """The bot's answers are accepted, repeatable, survive JSON, and are all counted."""
    for seed in range(20):
        for trial in planned(protocol, seed):
            payload = protocol.example(trial, Random(seed))
            assert payload == protocol.example(trial, Random(seed))
            assert_legal(protocol, trial, protocol.read(json.loads(json.dumps(payload)), trial))


@cache
def values_of(scale: Scale) -> list[float]:
    """In order, kept, because a scale may have ten thousand of them."""
    return sorted(scale.values())


def assert_legal(protocol: Protocol, trial: TrialPlan, answer: Answer) -> None:
    """Whatever is accepted gives numbers that exist, about slots and scales that were asked, each once."""
    places = [(mark.slot, mark.scale) for mark in answer.marks]
    assert len(set(places)) == len(places)
    for mark in answer.marks:
        assert mark.slot in {slot.key for slot in trial.slots}
        assert mark.scale in trial.ask
        values = values_of(protocol.scale(mark.scale))
        place = bisect_left(values, mark.value)
        nearest = values[max(place - 1, 0) : place + 1]
        assert any(math.isclose(mark.value, value, abs_tol=1e-9) for value in nearest)
    json.dumps(dict(answer.detail), allow_nan=False)


def leaves(payload: Json, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the way to every part of a JSON value, the whole included."""
    yield path
    inner = payload.items() if isinstance(payload, dict) else enumerate(payload) if isinstance(payload, list) else ()
    for key, value in inner:
        yield from leaves(value, (*path, key))


def with_part(payload: Json, path: tuple[Any, ...], change: Callable[[Any, Any], None]) -> Json:
    changed = json.loads(json.dumps(payload))
    place = changed
    for key in path[:-1]:
        place = place[key]
    change(place, path[-1])
    return changed


def broken_payloads(payload: Json) -> Iterator[Json]:
    """Put every wrong value in every place, drop every part, and double every part of a list."""
    for path in leaves(payload):
        if not path:
            yield from WRONG_LEAVES
            continue
        for wrong in WRONG_LEAVES:
            yield with_part(payload, path, lambda place, key, wrong=wrong: place.__setitem__(key, wrong))  # type: ignore[misc]
        yield with_part(payload, path, lambda place, key: place.pop(key))
        if isinstance(path[-1], int):
            yield with_part(payload, path, lambda place, key: place.append(place[key]))


def check_reading(protocol: Protocol) -> None:
    """A broken payload is refused with InvalidAnswer, or means something legal; it is never another error."""
    trial = planned(protocol)[0]
    messages: list[str] = []
    for payload in broken_payloads(protocol.example(trial, Random(1))):
        try:
            answer = protocol.read(payload, trial)
        except InvalidAnswer as error:
            messages.append(str(error))
        else:
            assert_legal(protocol, trial, answer)
    assert len(messages) > len(WRONG_LEAVES)
    assert max(map(len, messages)) < 500
    nothings: list[Json] = [{}, [], None, "", 0, True]
    for nothing in nothings:
        with pytest.raises(InvalidAnswer):
            protocol.read(nothing, trial)


CHECKS = [check_constants, check_label_sets, check_plan, check_blindness, check_bot, check_reading]


@EVERY
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__.removeprefix("check_"))
def test_a_protocol_keeps_its_contract(protocol: Protocol, check: Callable[[Protocol], None]) -> None:
    check(protocol)


@EVERY
@settings(max_examples=100 if ALL else 10)  # every wrong value in every place is among the checks above
@given(payload=JSON)
def test_any_json_is_read_or_refused(protocol: Protocol, payload: Json) -> None:
    trial = planned(protocol)[0]
    for candidate in (payload, {"marks": payload}, {"marks": [payload]}):
        try:
            answer = protocol.read(candidate, trial)
        except InvalidAnswer:
            continue
        assert_legal(protocol, trial, answer)


@pytest.mark.parametrize("protocol", REGISTERED, ids=lambda protocol: protocol.slug)
def test_a_registered_protocol_has_its_wording_and_its_view(protocol: Protocol) -> None:
    assert render_to_string(f"{protocol.slug}/instructions.html").strip()
    assert view_of(protocol.slug) in {protocol.slug, SHARED_VIEW}
    assert view_of(protocol.slug) == protocol.slug or not protocol.access.workspace


@pytest.mark.parametrize("protocol", REGISTERED, ids=lambda protocol: protocol.slug)
def test_a_registered_protocol_has_its_analysis_under_its_own_name(protocol: Protocol) -> None:
    method = get_method(method_of(protocol.slug))
    own = module_of(protocol.slug, "analysis")
    assert method.slug == (protocol.slug if own else "mos")
    assert get_report(method.slug).template == (
        "analysis/reports/mos.html" if own is None else f"{protocol.slug}/report.html"
    )


class Comparing(Dummy):
    """Two sounds a page, the reference first and told to be it, and only the other one rated: what DCR needs."""

    slug = "comparing"
    page_holds = PageHolds.PAIR
    shows_reference = True


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__.removeprefix("check_"))
def test_a_protocol_may_show_which_sound_is_the_reference(check: Callable[[Protocol], None]) -> None:
    check(Comparing())


def test_a_page_of_a_pair_holds_the_reference_and_asks_about_the_other_alone() -> None:
    protocol = Comparing()
    pages = [page for page in planned(protocol) if page.kind is not TrialKind.PRACTICE]
    assert [[slot.entry.role for slot in page.slots] for page in pages] == [["reference", "test"]] * 8
    assert all(page.slots[0].entry.item == page.slots[1].entry.item for page in pages)
    assert all(before.slots[0].entry.item != after.slots[0].entry.item for before, after in pairwise(pages))
    assert protocol.present(pages[0]) == {"slots": ["b"], "ask": ["SMALL", "LARGE"], "reference": "a"}
    assert {mark.slot for mark in protocol.read(protocol.example(pages[0], Random(1)), pages[0]).marks} == {"b"}


@pytest.mark.parametrize("roles", [("test", "test"), ("reference", "reference", "test")])
def test_an_item_of_a_pair_needs_one_reference(roles: Sequence[str]) -> None:
    entries = [Entry(f"s{n}", "item-p", f"c{n}", role) for n, role in enumerate(roles)]
    with pytest.raises(MaterialUnfit, match=r"item-p has [02] sounds in the role reference\. It must have one"):
        planned(Comparing(), entries=entries)


class Revealing(Comparing):
    shows_reference = False

    def present(self, trial: TrialPlan) -> Json:
        return super().present(trial) | {"reference": trial.slots[0].key}


class Leaking(AbsoluteCategoryRating):
    def present(self, trial: TrialPlan) -> Json:
        return {"slots": [slot.entry.condition for slot in trial.slots]}


class Unseeded(AbsoluteCategoryRating):
    others = count(2)  # as another seed each time would do it, but the same ones in every run

    def plan(self, entries: Sequence[Entry], options: Mapping[str, Json], rng: Random) -> Iterable[TrialPlan]:
        return super().plan(entries, options, Random(next(self.others)))


class Unshuffled(AbsoluteCategoryRating):
    def plan(self, entries: Sequence[Entry], options: Mapping[str, Json], rng: Random) -> Iterable[TrialPlan]:
        return super().plan(entries, options, Random(1))


class Gullible(AbsoluteCategoryRating):
    def read(self, payload: Json, trial: TrialPlan) -> Answer:
        return Answer(marks=tuple(Mark(mark["slot"], mark["scale"], mark["value"]) for mark in payload["marks"]))


class Wordless(Dummy):
    label_sets = (replace(Dummy.label_sets[0], scales={}),)


BROKEN: list[tuple[type[Protocol], Callable[[Protocol], None], type[Exception]]] = [
    (Leaking, check_blindness, AssertionError),
    (Revealing, check_blindness, AssertionError),
    (Unseeded, check_plan, AssertionError),
    (Unshuffled, check_plan, AssertionError),
    (Gullible, check_reading, TypeError),
    (Wordless, check_label_sets, AssertionError),
]


@pytest.mark.parametrize(("kind", "check", "failure"), BROKEN)
def test_the_suite_finds_a_broken_protocol_out(
    kind: type[Protocol], check: Callable[[Protocol], None], failure: type[Exception]
) -> None:
    with pytest.raises(failure):
        check(kind())


def test_a_protocol_without_label_sets_does_not_pass_the_check_at_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    assert checks.protocols_are_complete(None) == []
    monkeypatch.setattr(AbsoluteCategoryRating, "label_sets", ())
    (found,) = checks.protocols_are_complete(None)
    assert "has no label set" in found.msg


def test_a_protocol_of_another_package_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(protocol_apps()["acr"].path, tmp_path / "some_laboratory" / "acr")
    monkeypatch.syspath_prepend(tmp_path)
    app = AppConfig.create("some_laboratory.acr")
    monkeypatch.setattr(apps, "get_app_configs", lambda: [app])
    assert protocol_apps.__wrapped__() == {"acr": app}
    monkeypatch.setattr(registry, "protocol_apps", lambda: {"acr": app})
    module = module_of.__wrapped__("acr", "protocol")
    assert module is not None
    assert module.__name__ == "some_laboratory.acr.protocol"
