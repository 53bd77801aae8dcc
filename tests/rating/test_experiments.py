"""Experiments: what can be made, when they go live, who sees them, and what unblinding leaves behind."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from core.models import AuditEntry, User
from listening.models import Panel
from listening.panels.services.panels import add_seats, create_panel, overview
from rating.models import Ballot, Experiment
from rating.services.access import experiment_for, share
from rating.services.experiments import (
    close,
    design_digest,
    go_live,
    pause,
    return_to_draft,
    unblind,
)
from stimuli.services.collections import add_stimulus, collection_for, create_collection
from tests.errors import raises_error
from tests.factories import make_experiment, make_user, tone

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def shared_experiment(module_db: None) -> Experiment:
    return make_experiment(seats=2)


@pytest.mark.parametrize(
    ("change", "code", "hint"),
    [
        ({"protocol": "p1000"}, "experiment.unknown_protocol", "acr"),
        ({"label_set": "acr-de-1"}, "experiment.unknown_label_set", "acr-en-1"),
        ({"language": "tlh"}, "experiment.unknown_language", "en, fr"),
        ({"options": {"play_allowed": 2}}, "experiment.unknown_option", "plays_allowed"),
    ],
)
def test_an_unknown_part_is_rejected_with_the_known_ones(
    change: dict[str, Any], code: str, hint: str, experiment: Experiment
) -> None:
    with raises_error(code) as caught:
        make_experiment(experiment.owner, collection=experiment.collection, **change)
    assert hint in str(caught.value)
    assert Experiment.objects.get() == experiment


def test_two_experiments_cannot_share_a_short_name(experiment: Experiment) -> None:
    with raises_error("experiment.slug_taken"):
        make_experiment(experiment.owner, collection=experiment.collection, slug=experiment.slug)


def test_options_not_given_take_the_protocol_s_defaults(experiment: Experiment) -> None:
    defaults = {"plays_allowed": 1, "practice": 0, "fixation_cross": False}
    assert experiment.options == defaults
    other = make_experiment(experiment.owner, collection=experiment.collection, options={"plays_allowed": 3})
    assert other.options == defaults | {"plays_allowed": 3}


def test_the_language_is_english_unless_another_is_chosen(experiment: Experiment) -> None:
    assert experiment.language == "en"
    french = make_experiment(experiment.owner, collection=experiment.collection, language="fr")
    created = AuditEntry.objects.filter(action="experiment.created").latest("id").after
    assert created == {"title": french.title, "language": "fr"}
    before = design_digest(french)
    french.language = "de"
    assert design_digest(french) != before


def test_the_form_offers_languages_and_warns_where_the_scale_is_in_another(
    client: Client, experiment: Experiment
) -> None:
    owner, collection = experiment.owner, experiment.collection
    client.force_login(owner)
    form = client.get("/new-experiment/").content.decode()
    assert re.findall(r'<option value="(?:en|fr|de|es)"[^>]*>([^<]+)', form) == [
        "English",
        "French",
        "German (draft)",
        "Spanish (draft)",
    ]
    given = {
        "title": "T",
        "slug": "t",
        "collection": collection.slug,
        "protocol": "acr",
        "label_set": "acr/acr-en-1",
        "consent_text": "Ja.",
    }
    page = client.post("/new-experiment/", given | {"language": "de"}, follow=True).content.decode()
    assert Experiment.objects.get(slug="t").language == "de"
    warnings = "".join(re.findall(r'<li class="notice warning">(.*?)</li>', page))
    assert "in German, but the scale and its questions are in English" in warnings
    assert "into German is a draft" in warnings
    page = client.post(
        "/new-experiment/", given | {"title": "U", "slug": "u", "language": "en"}, follow=True
    ).content.decode()
    assert "notice warning" not in page


def test_the_api_takes_and_tells_the_language(client: Client, experiment: Experiment) -> None:
    owner, collection = experiment.owner, experiment.collection
    client.force_login(owner)
    given = {"slug": "t", "title": "T", "collection": collection.slug, "protocol": "acr", "label_set": "acr-en-1"}
    answer = client.post(
        "/api/v1/experiments/", given | {"consent_text": "D’accord.", "language": "fr"}, content_type="application/json"
    )
    assert (answer.status_code, answer.json()["language"]) == (201, "fr")


def test_a_draft_label_set_cannot_go_live() -> None:
    with raises_error("experiment.label_set_draft"):
        make_experiment(label_set="acr-fr-1")


def test_an_experiment_without_sound_cannot_go_live() -> None:
    owner = make_user()
    empty = create_collection(owner=owner, slug="empty", title="Empty")
    with raises_error("experiment.no_stimuli"):
        make_experiment(owner, collection=empty)


def test_the_design_is_frozen_once_and_survives_a_pause(experiment: Experiment) -> None:
    frozen = experiment.design_sha256
    assert len(frozen) == 64
    pause(experiment=experiment, actor=experiment.owner)
    assert go_live(experiment=experiment, actor=experiment.owner).design_sha256 == frozen


def test_a_collection_that_changed_under_a_frozen_design_stops_new_seats_and_going_on(experiment: Experiment) -> None:
    add_stimulus(collection=experiment.collection, item="late", condition="late", content=tone(900))
    with raises_error("experiment.design_changed"):
        create_panel(experiment=experiment, seats=1, actor=experiment.owner)
    pause(experiment=experiment, actor=experiment.owner)
    with raises_error("experiment.design_changed"):
        go_live(experiment=experiment, actor=experiment.owner)
    assert experiment.panels.count() == 1


def test_seats_added_later_leave_the_design_as_it_was(experiment: Experiment) -> None:
    create_panel(experiment=experiment, seats=2, actor=experiment.owner)
    assert design_digest(experiment) == experiment.design_sha256


def test_states_follow_each_other_and_are_logged(experiment: Experiment) -> None:
    close(experiment=experiment, actor=experiment.owner, reason="enough")
    with raises_error("experiment.wrong_state"):
        go_live(experiment=experiment, actor=experiment.owner)
    entry = AuditEntry.objects.filter(action="experiment.state_changed").first()
    assert entry is not None
    assert (entry.before, entry.after["state"], entry.reason) == ({"state": "live"}, "closed", "enough")  # type: ignore[index]


# --- Going live and back ----------------------------------------------------------------------------------------------


def stored(experiment: Experiment) -> Experiment:
    return Experiment.objects.get(pk=experiment.pk)


def test_an_experiment_without_seats_cannot_go_live() -> None:
    experiment = make_experiment(live=False)
    with raises_error("experiment.no_seats"):
        go_live(experiment=experiment, actor=experiment.owner)
    create_panel(experiment=experiment, seats=1, actor=experiment.owner)
    assert go_live(experiment=experiment, actor=experiment.owner).state == "live"


def test_rehearsals_are_no_seats_to_go_live_with() -> None:
    experiment = make_experiment(live=False, seats=1)
    experiment.ballots.update(kind=Ballot.Kind.REHEARSAL)
    with raises_error("experiment.no_seats"):
        go_live(experiment=experiment, actor=experiment.owner)


def test_going_live_asks_first_and_an_error_is_told_beside_the_list(client: Client) -> None:
    experiment = make_experiment(live=False)
    client.force_login(experiment.owner)
    address = f"/experiments/{experiment.slug}/"
    assert f'href="{address}live/"' in client.get(address).content.decode()
    asked = client.get(f"{address}live/").content.decode()
    assert "The experiment has no seats" in asked
    assert "No seats for listeners yet." in asked
    assert 'class="button button--primary" disabled' in asked
    assert 'id="design-sentence"' not in asked
    rejected = client.post(f"{address}state/live/", follow=True)
    assert rejected.redirect_chain == [(f"{address}live/", 302)]
    assert "The experiment has no seats" in rejected.content.decode()
    create_panel(experiment=experiment, seats=1, actor=experiment.owner)
    asked = client.get(f"{address}live/").content.decode()
    assert f'action="{address}state/live/"' in asked
    assert 'class="button button--primary" disabled' not in asked
    assert "1 seat in 1 panel, each seat in an order of its own." in asked
    assert "The protocol, its options, the labels, the consent text, the clips and the design are then fixed" in asked
    assert stored(experiment).state == "draft", "asking changes nothing"
    assert client.post(f"{address}state/live/").status_code == 302
    assert stored(experiment).state == "live"


def test_an_experiment_becomes_a_draft_again_while_nobody_has_answered(client: Client, experiment: Experiment) -> None:
    client.force_login(experiment.owner)
    address = f"/experiments/{experiment.slug}/"
    assert "Return to draft" in client.get(address).content.decode()
    assert client.post(f"{address}state/draft/").status_code == 302
    draft = stored(experiment)
    assert (draft.state, draft.design_sha256) == ("draft", "")
    entry = AuditEntry.objects.filter(action="experiment.state_changed").latest("id")
    assert (entry.actor, entry.before) == (experiment.owner, {"state": "live"})
    assert entry.after == {"state": "draft", "design_sha256": ""}
    # What was frozen may change, and what goes live then is frozen anew.
    add_stimulus(collection=experiment.collection, item="late", condition="late", content=tone(900))
    assert go_live(experiment=draft, actor=experiment.owner).design_sha256 not in ("", experiment.design_sha256)


@pytest.mark.parametrize("abandoned", [False, True])
def test_one_answer_keeps_an_experiment_from_becoming_a_draft_again(
    client: Client, abandoned: bool, experiment: Experiment
) -> None:
    ballot = experiment.ballots.earliest("created_at")
    gone = timezone.now() if abandoned else None
    Ballot.objects.filter(pk=ballot.pk).update(vote_count=3, abandoned_at=gone)
    pause(experiment=experiment, actor=experiment.owner)
    with raises_error("experiment.answers_exist", match="3 answers"):
        return_to_draft(experiment=experiment, actor=experiment.owner)
    client.force_login(experiment.owner)
    address = f"/experiments/{experiment.slug}/"
    assert "Return to draft" not in client.get(address).content.decode()
    assert "3 answers have come in" in client.post(f"{address}state/draft/", follow=True).content.decode()
    assert (stored(experiment).state, stored(experiment).design_sha256) == ("paused", experiment.design_sha256)


def test_answers_of_rehearsals_and_simulated_listeners_do_not_count(experiment: Experiment) -> None:
    for kind in (Ballot.Kind.REHEARSAL, Ballot.Kind.SIMULATED):
        [seat] = add_seats(panel=experiment.panels.get(), count=1, kind=kind)
        Ballot.objects.filter(pk=seat.ballot_id).update(vote_count=5)
    assert return_to_draft(experiment=experiment, actor=experiment.owner).state == "draft"


@pytest.mark.parametrize("state", ["draft", "closed"])
def test_only_what_is_live_or_paused_becomes_a_draft_again(state: str, experiment: Experiment) -> None:
    Experiment.objects.filter(pk=experiment.pk).update(state=state)
    with raises_error("experiment.wrong_state"):
        return_to_draft(experiment=experiment, actor=experiment.owner)


def test_an_experimenter_sees_own_and_shared_experiments_an_admin_all() -> None:
    owner, colleague, admin = make_user(), make_user(), make_user(User.Role.ADMIN)
    experiment = make_experiment(owner)
    assert experiment_for(owner, experiment.slug) == experiment
    assert experiment_for(admin, experiment.slug) == experiment
    with raises_error("experiment.not_found"):
        experiment_for(colleague, experiment.slug)
    share(experiment=experiment, actor=owner, colleague_name=colleague.username)
    assert experiment_for(colleague, experiment.slug) == experiment
    assert collection_for(colleague, experiment.collection.slug) == experiment.collection


def test_an_experiment_is_shared_only_with_a_person_who_exists(experiment: Experiment) -> None:
    with raises_error("experiment.colleague_unknown"):
        share(experiment=experiment, actor=experiment.owner, colleague_name="nobody")
    assert not AuditEntry.objects.filter(action="experiment.shared").exists()


def test_unblinding_needs_a_reason_and_is_logged_once(experiment: Experiment) -> None:
    with raises_error("experiment.reason_missing"):
        unblind(experiment=experiment, actor=experiment.owner, reason="  ")
    first = unblind(experiment=experiment, actor=experiment.owner, reason="all seats done").unblinded_at
    assert unblind(experiment=experiment, actor=experiment.owner, reason="again").unblinded_at == first
    entry = AuditEntry.objects.get(action="experiment.unblinded")
    assert (entry.actor, entry.reason) == (experiment.owner, "all seats done")


# --- Lists ------------------------------------------------------------------------------------------------------------


def listed(client: Client, among: list[Experiment]) -> list[list[str]]:
    """The same experiments as the page, the API and the monitor list them."""
    slugs = {experiment.slug for experiment in among}
    page = client.get("/experiments/").content.decode()
    monitor = client.get("/monitor/").content.decode()
    shown = [re.findall(r'href="/experiments/([-\w]+)/(?:monitor/)?"', text) for text in (page, monitor)]
    api = [row["slug"] for row in client.get("/api/v1/experiments/").json()["results"]]
    return [[slug for slug in dict.fromkeys(found) if slug in slugs] for found in (*shown, api)]


def test_experiments_are_listed_newest_first_and_ties_by_id(client: Client, experiment: Experiment) -> None:
    owner, collection = experiment.owner, experiment.collection
    client.force_login(owner)
    made = [make_experiment(owner, collection=collection, seats=seats) for seats in (1, 3, 2, 1, 2)]
    now = timezone.now()
    # Neither the order of making nor that of ids: the second is the oldest, the rest are of one moment.
    Experiment.objects.update(created_at=now)
    Experiment.objects.filter(pk=made[1].pk).update(created_at=now - timedelta(days=1))
    Experiment.objects.filter(pk=made[3].pk).update(created_at=now + timedelta(days=1))
    ties = sorted((made[0], made[2], made[4]), key=lambda experiment: experiment.pk)
    wanted = [experiment.slug for experiment in (made[3], *ties, made[1])]
    assert listed(client, made) == [wanted, wanted, wanted]


def test_collections_are_listed_by_title_and_panels_by_number(client: Client) -> None:
    owner = make_user()
    client.force_login(owner)
    for title in ("m", "c", "x", "a"):
        create_collection(owner=owner, slug=f"about-{title}", title=title)
    page = client.get("/collections/").content.decode()
    assert re.findall(r'href="/collections/about-(\w)/"', page) == ["a", "c", "m", "x"]
    experiment = make_experiment(owner, seats=1)
    for _ in range(4):
        create_panel(experiment=experiment, seats=1, actor=owner)
    for old, new in ((1, 11), (3, 1), (11, 3)):
        Panel.objects.filter(number=old).update(number=new)
    rows = overview(experiment=experiment, now=timezone.now())
    assert [row["number"] for row in rows] == [1, 2, 3, 4, 5]
