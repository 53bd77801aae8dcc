"""Options: generated from what a protocol declares, judged by kind and by the protocol, open until there are seats."""

import json
import math
import re
from collections.abc import Mapping
from copy import deepcopy
from typing import Any, ClassVar

import pytest
from django.test import Client

from core.models import AuditEntry
from listening.models import Panel
from listening.panels.services.panels import create_panel
from protocols.acr.protocol import AbsoluteCategoryRating
from rating.models import Experiment
from rating.options import Kind, check_options, kind_of
from rating.protocol import Groups, Option, OptionUnfit, Protocol
from rating.registry import get_protocol, protocols
from rating.services.experiments import change_options, go_live
from stimuli.services.collections import create_collection
from tests.errors import raises_error
from tests.factories import make_collection, make_experiment, make_panel_experiment, make_user

pytestmark = pytest.mark.django_db

CROSS: dict[str, Any] = {"condition": "secretcondition0", "tc": 0.5, "sd": 1, "why": "Rain.", "hears": [[1, 2.5]]}
EVERY = pytest.mark.parametrize("protocol", protocols().values(), ids=lambda protocol: protocol.slug)


def example(item: str = "secretitem0", **changes: Any) -> dict[str, Any]:
    return {"item": item, "crosses": [CROSS | changes]}


@EVERY
def test_every_option_says_what_it_is_for_and_a_default_is_among_its_choices(protocol: Protocol) -> None:
    for name, option in protocol.options.items():
        assert option.help.strip()
        assert (kind_of(protocol, name) == Kind.CHOICE) == bool(option.choices)
        assert not option.choices or option.default in option.choices
        if kind_of(protocol, name) == Kind.OBJECT:
            check_options(protocol, {name: option.sample}, {})  # what the page proposes can be used


@EVERY
def test_the_defaults_are_fit(protocol: Protocol) -> None:
    check_options(protocol, protocol.defaults, {})


@pytest.mark.parametrize(
    ("slug", "option", "value", "right"),
    [
        ("acr", "plays_allowed", -1, "a whole number from 0"),
        ("acr", "plays_allowed", 1.5, "a whole number from 0"),
        ("acr", "plays_allowed", True, "a whole number from 0"),
        ("acr", "plays_allowed", "2", "a whole number from 0"),
        ("p835", "auto_confirm", 1, "true or false"),
        ("p835", "layout", "diagonal", "one of vertical, horizontal"),
        ("p835", "layout", ["vertical"], "one of vertical, horizontal"),
        ("p835", "sessions", 0, "at least one session"),
        ("tcsd_plane", "probes", None, "one of same, rater, own"),
        ("tcsd_plane", "example", [], "an object"),
    ],
)
def test_a_value_of_another_kind_is_rejected_with_what_would_be_right(
    slug: str, option: str, value: Any, right: str
) -> None:
    with pytest.raises(OptionUnfit) as rejected:
        check_options(get_protocol(slug), {option: value}, {})
    assert right in str(rejected.value)
    assert option in str(rejected.value)


class Shares(AbsoluteCategoryRating):
    """What a protocol may declare besides: a number that need not be whole, and a text."""

    options: ClassVar[Mapping[str, Option]] = {
        "ratio": Option(0.4, "Ratio", "A share."),
        "factor": Option("dataset", "Factor", "A name."),
    }


def test_a_number_need_not_be_whole_and_a_text_is_any_text() -> None:
    check_options(Shares(), {"ratio": 1, "factor": ""}, {})
    check_options(Shares(), {"ratio": 0.25, "factor": "place"}, {})
    for unfit in ({"ratio": "0.4"}, {"ratio": True}, {"ratio": math.nan}, {"ratio": -0.1}, {"factor": None}):
        with pytest.raises(OptionUnfit):
            check_options(Shares(), unfit, {})


MATERIAL = {"secretitem0": {"secretcondition0": "test", "whole": "full-length"}}


@pytest.mark.parametrize(
    ("value", "wrong"),
    [
        ({"item": "secretitem0"}, "a list of crosses"),
        (example() | {"note": ""}, "nothing else"),
        (example(item="D"), "no item D"),
        (example(condition="whole"), "left are secretcondition0"),
        (example(condition=7), "left are secretcondition0"),
        ({"item": "secretitem0", "crosses": [CROSS, CROSS]}, "cross 2 must name a summary of its own"),
        ({"item": "secretitem0", "crosses": ["X-1"]}, "cross 1 must name"),
        (example(tc=1.01), "tc and sd"),
        (example(sd=True), "tc and sd"),
        (example(sd=None), "tc and sd"),
        (example(why=" "), "a reason"),
        (example(hears=[[2, 1]]), "beginning and an end"),
        (example(hears=[[1, 2, 3]]), "beginning and an end"),
        (example(colour="red"), "colour"),
    ],
)
def test_an_example_that_could_not_be_shown_is_rejected(value: dict[str, Any], wrong: str) -> None:
    with pytest.raises(OptionUnfit) as rejected:
        check_options(get_protocol("tcsd_plane"), {"example": value}, MATERIAL)
    assert wrong in str(rejected.value)


def test_a_fit_example_is_accepted_and_before_an_import_only_its_shape_is_judged() -> None:
    check_options(get_protocol("tcsd_plane"), {"example": example()}, MATERIAL)
    check_options(get_protocol("tcsd_plane"), {"example": example(item="not yet here")}, {})


def test_going_live_judges_the_example_again_by_what_was_imported() -> None:
    owner = make_user()
    empty = create_collection(owner=owner, slug="empty", title="Empty")
    experiment = make_experiment(
        owner, protocol="tcsd_plane", collection=empty, live=False, options={"example": example(item="elsewhere")}
    )
    Experiment.objects.filter(pk=experiment.pk).update(collection=make_collection(owner, full_length=True))
    with pytest.raises(OptionUnfit):
        go_live(experiment=Experiment.objects.get(pk=experiment.pk), actor=owner)


def test_a_change_is_kept_logged_and_leaves_the_other_options_alone() -> None:
    experiment = make_panel_experiment()
    options = experiment.options | {"layout": "horizontal"}
    change_options(experiment=experiment, options=options, actor=experiment.owner)
    assert Experiment.objects.get(pk=experiment.pk).options == options
    logged = AuditEntry.objects.get(action="experiment.options_changed")
    assert (logged.before, logged.after) == ({"layout": "vertical"}, {"layout": "horizontal"})
    change_options(experiment=experiment, options=options, actor=experiment.owner)
    assert AuditEntry.objects.filter(action="experiment.options_changed").count() == 1


def test_options_are_fixed_once_there_are_seats_and_once_it_is_live() -> None:
    experiment = make_experiment(live=False, seats=1)
    with raises_error("experiment.options_fixed") as rejected:
        change_options(experiment=experiment, options={"plays_allowed": 2}, actor=experiment.owner)
    assert "Remove the seats" in str(rejected.value)
    go_live(experiment=experiment, actor=experiment.owner)
    with raises_error("experiment.wrong_state"):
        change_options(experiment=experiment, options={"plays_allowed": 2}, actor=experiment.owner)


@pytest.fixture(scope="module")
def shared_draft(module_db: None) -> Experiment:
    return make_experiment(protocol="tcsd_plane", live=False)


@pytest.fixture
def draft(shared_draft: Experiment) -> Experiment:
    return deepcopy(shared_draft)


@pytest.fixture
def staff(client: Client, draft: Experiment) -> Client:
    client.force_login(draft.owner)
    return client


def filled(draft: Experiment, **changes: str) -> dict[str, str]:
    return {**draft.options, "example": "", **changes}


def test_the_page_offers_every_option_with_its_help_and_saves_it(staff: Client, draft: Experiment) -> None:
    address, settings = f"/experiments/{draft.slug}/options/", f"/experiments/{draft.slug}/settings/"
    assert f"{settings}#options" in staff.get(f"/experiments/{draft.slug}/").content.decode()
    assert staff.get(address)["Location"] == f"{settings}#options"
    page = staff.get(settings).content.decode()
    assert '<option value="rater">Drawn for each rater</option>' in page
    assert "the five probes of an hour" in page
    assert 'placeholder="{' in page
    answer = staff.post(address, filled(draft, probes="own", plays_allowed="3", example=json.dumps(example())))
    assert answer.status_code == 302
    draft.refresh_from_db()
    assert (draft.options["probes"], draft.options["plays_allowed"]) == ("own", 3)
    assert draft.options["example"] == example()
    assert "&quot;why&quot;: &quot;Rain.&quot;" in staff.get(settings).content.decode()


@pytest.mark.parametrize(
    ("option", "value", "complaint"),
    [
        ("example", '{"item": "secretitem0",\n "crosses": [}', "line 2, column 14"),
        ("example", '{"item": NaN}', "cannot be kept"),
        ("example", "[" * 100_000, "cannot be kept"),
        ("example", "[]", "an object in braces"),
        ("example", json.dumps(example(tc=2)), "tc and sd"),
        ("plays_allowed", "-1", "greater than or equal to 0"),
        ("probes", "elsewhere", "Select a valid choice"),
    ],
)
def test_a_slip_on_the_page_is_named_beside_its_option_and_nothing_changes(
    staff: Client, draft: Experiment, option: str, value: str, complaint: str
) -> None:
    answer = staff.post(f"/experiments/{draft.slug}/options/", filled(draft, **{option: value}))
    page = answer.content.decode()
    assert answer.status_code == 200
    field = page.split(f'for="option_{option}"')[1].split("<label")[0]
    assert complaint in field
    assert Experiment.objects.get(pk=draft.pk).options == draft.options


def test_the_page_of_fixed_options_says_so_and_a_post_changes_nothing(client: Client) -> None:
    experiment = make_experiment(seats=1)
    client.force_login(experiment.owner)
    address = f"/experiments/{experiment.slug}/options/"
    page = client.get(f"/experiments/{experiment.slug}/settings/").content.decode()
    assert "fixed since the experiment went live" in page
    assert "disabled" in page
    answer = client.post(address, {"plays_allowed": "9"})
    assert "this needs it to be draft" in answer.content.decode()
    assert Experiment.objects.get(pk=experiment.pk).options == experiment.options


def test_a_group_is_offered_where_the_protocol_tells_people_apart(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    experiment = make_experiment(live=False)
    client.force_login(experiment.owner)
    address = f"/experiments/{experiment.slug}/"
    assert 'name="group"' not in client.get(f"{address}people/").content.decode()
    monkeypatch.setattr(type(get_protocol("acr")), "groups", Groups(("judge", "writer")))
    assert '<option value="writer">writer</option>' in client.get(f"{address}people/").content.decode()
    client.post(f"{address}panels/", {"seats": 1, "group": "writer"})
    assert client.post(f"{address}panels/", {"seats": 1, "group": "nobody"}).status_code == 400
    create_panel(experiment=experiment, seats=1, actor=experiment.owner)
    assert list(Panel.objects.values_list("group", flat=True)) == ["writer", "judge"]


def test_the_overview_says_in_words_what_is_chosen_and_what_the_design_sets(client: Client) -> None:
    experiment = make_experiment(protocol="p835", live=False, options={"layout": "horizontal", "sessions": 3})
    client.force_login(experiment.owner)

    def overview() -> dict[str, str]:
        page = client.get(f"/experiments/{experiment.slug}/").content.decode()
        return dict(re.findall(r"<dt>([^<]+)</dt><dd>([^<]+)</dd>", page))

    told = {"Arrangement of the answers": "Horizontal, in one row", "Sessions": "3", "Fixation cross": "no"}
    assert overview().items() >= told.items()
    Experiment.objects.update(layout_sha256="0" * 64)
    assert overview()["Sessions"] == "set by the design"
