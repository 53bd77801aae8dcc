"""Copy, archive, bin and removal of experiments, and the list in which they are found."""

import re
from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils import timezone

from core.models import AuditEntry, User
from listening.models import SessionSettings
from listening.panels.services.copying import copy_experiment
from listening.panels.services.removal import empty_bin
from listening.panels.services.session_settings import change_session_settings
from listening.participation.services.verification import take_root, verify
from rating.models import Ballot, Experiment, Vote
from rating.services import disposal
from rating.services.access import experiment_for, share
from rating.services.experiments import close, pause
from tests.errors import raises_error
from tests.factories import make_experiment, make_user, new_token, sit_down

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def shared_experiment(module_db: None) -> Experiment:
    return make_experiment(seats=2)


def binned(experiment: Experiment, *, days: int = 0) -> Experiment:
    pause(experiment=experiment, actor=experiment.owner)
    disposal.delete_experiment(experiment=experiment, actor=experiment.owner, typed=experiment.slug)
    Experiment.objects.filter(pk=experiment.pk).update(deleted_at=timezone.now() - timedelta(days=days))
    return Experiment.objects.get(pk=experiment.pk)


def titles(client: Client, query: str = "") -> list[str]:
    page = client.get(f"/experiments/{query}").content.decode()
    return re.findall(r'<td class="named">(?:<a [^>]*>)?\s*([^<]+?)\s*<', page)


def test_a_copy_has_every_setting_a_seed_of_its_own_and_no_seats(client: Client) -> None:
    experiment = make_experiment(
        seats=2, title="First", instructions="Mine.", debrief="Thanks.", contact="me", options={"plays_allowed": 3}
    )
    change_session_settings(
        experiment=pause(experiment=experiment, actor=experiment.owner), actor=experiment.owner, ear_check=False
    )
    seats = experiment.ballots.count()
    client.force_login(experiment.owner)
    client.post(f"/experiments/{experiment.slug}/copy/")
    copy = Experiment.objects.exclude(pk=experiment.pk).latest("created_at")
    assert (copy.title, copy.state, copy.slug) == ("Copy of First", "draft", "copy-of-first")
    for name in ("collection", "protocol", "label_set", "language", "options", "consent_text", "instructions"):
        assert getattr(copy, name) == getattr(experiment, name)
    assert (copy.debrief, copy.contact) == ("Thanks.", "me")
    assert copy.seed != experiment.seed
    assert SessionSettings.objects.get(experiment=copy).ear_check is False
    assert (copy.ballots.count(), experiment.ballots.count()) == (0, seats)
    assert AuditEntry.objects.get(action="experiment.copied").after == {"from": experiment.slug}


def test_a_viewer_s_copy_is_the_viewer_s(experiment: Experiment) -> None:
    viewer = make_user()
    share(experiment=experiment, actor=experiment.owner, colleague_name=viewer.username, role="viewer")
    copy = copy_experiment(experiment=experiment, actor=viewer)
    assert copy.owner == viewer
    with raises_error("experiment.not_found"):
        experiment_for(experiment.owner, copy.slug)


def test_an_archived_experiment_is_hidden_until_asked_for(client: Client) -> None:
    owner = make_user()
    old, new = make_experiment(owner, title="Old", seats=1), make_experiment(owner, title="New", live=False)
    client.force_login(owner)
    client.post(f"/experiments/{old.slug}/archive/")
    assert set(titles(client)) == {"Old", "New"}  # a live one is not hidden
    close(experiment=old, actor=owner)
    client.post(f"/experiments/{old.slug}/archive/")
    assert titles(client) == ["New"]
    assert titles(client, "?show=archived") == ["Old"]
    assert client.get(f"/experiments/{old.slug}/").status_code == 200
    client.post(f"/experiments/{old.slug}/archive/")
    assert set(titles(client)) == {"Old", new.title}


def test_deleting_says_what_is_lost_and_wants_the_short_name(client: Client) -> None:
    experiment = make_experiment(seats=2, slug="gone", title="Gone")
    sit_down(experiment).answer_all()
    pause(experiment=experiment, actor=experiment.owner)
    client.force_login(experiment.owner)
    page = client.get("/experiments/gone/delete/").content.decode()
    for lost in ("2 seats", "the consent of 1 listener", "4 answers"):
        assert lost in page
    wrong = client.post("/experiments/gone/delete/", {"typed": "gnoe"}).content.decode()
    assert "Type the short name gone" in wrong
    assert 'value="gnoe"' in wrong
    assert Experiment.objects.get(pk=experiment.pk).deleted_at is None
    assert client.post("/experiments/gone/delete/", {"typed": "gone"})["Location"] == "/experiments/"
    assert client.get("/experiments/gone/").status_code == 404
    assert titles(client) == []
    assert titles(client, "?show=bin") == ["Gone"]


def test_a_live_experiment_is_not_deleted(experiment: Experiment) -> None:
    with raises_error("experiment.wrong_state"):
        disposal.delete_experiment(experiment=experiment, actor=experiment.owner, typed=experiment.slug)


@pytest.mark.parametrize("role", [User.Role.EXPERIMENTER, User.Role.ADMIN])
def test_owners_and_admins_restore_an_experiment_as_it_was(client: Client, role: User.Role) -> None:
    owner = make_user(role)
    experiment = make_experiment(owner if role == User.Role.EXPERIMENTER else make_user(), seats=1)
    sit_down(experiment).answer_all()
    binned(experiment)
    client.force_login(owner)
    client.post(f"/experiments/{experiment.slug}/restore/")
    restored = experiment_for(experiment.owner, experiment.slug)
    assert (restored.state, restored.deleted_at) == ("paused", None)
    assert Vote.objects.count() == 4
    assert verify().problems == []


def test_the_bin_of_another_person_stays_closed(client: Client, experiment: Experiment) -> None:
    colleague = make_user()
    share(experiment=experiment, actor=experiment.owner, colleague_name=colleague.username)
    binned(experiment)
    client.force_login(colleague)
    assert titles(client, "?show=bin") == []
    assert client.post(f"/experiments/{experiment.slug}/restore/").status_code == 404


def test_a_link_to_an_experiment_in_the_bin_leads_nowhere(experiment: Experiment) -> None:
    token = new_token(experiment)
    binned(experiment)
    Experiment.objects.update(state="live")
    assert Client().get(f"/join/{token}/").status_code == 409


def test_the_database_keeps_votes_until_their_time_in_the_bin_is_over(experiment: Experiment) -> None:
    sitting = sit_down(experiment)
    sitting.answer_all()
    ballot = Ballot.objects.get(pk=sitting.ballot.pk)
    binned(experiment, days=29)
    assert empty_bin() == 0
    with pytest.raises(IntegrityError), transaction.atomic():
        disposal.remove_ballot(ballot)
    assert Vote.objects.count() == 4


def test_after_30_days_the_bin_is_emptied_and_the_log_says_so(experiment: Experiment) -> None:
    kept = make_experiment(experiment.owner, collection=experiment.collection, seats=1)
    sit_down(experiment).answer_all()
    sit_down(kept).answer_all()
    take_root()
    binned(experiment, days=31)
    with raises_error("experiment.not_found"):
        disposal.restore(experiment=experiment, actor=experiment.owner)
    assert empty_bin() == 1
    assert list(Experiment.objects.all()) == [kept]
    assert set(Vote.objects.values_list("ballot__experiment", flat=True)) == {kept.pk}
    assert experiment.collection.items.exists()
    removed = AuditEntry.objects.get(action="experiment.removed").after or {}
    assert (removed["slug"], removed["answers"], len(removed["ballots"])) == (experiment.slug, 4, 2)
    assert verify().problems == []
    assert empty_bin() == 0


def test_the_list_is_newest_first_and_can_be_sorted_searched_and_filtered(client: Client) -> None:
    owner, other = make_user(), make_user()
    noisy = make_experiment(owner, title="Noisy speech", seats=2)
    make_experiment(owner, title="Clean speech", live=False)
    theirs = make_experiment(other, title="Another", live=False)
    share(experiment=theirs, actor=other, colleague_name=owner.username, role="viewer")
    sit_down(noisy).answer_all()
    client.force_login(owner)
    assert titles(client) == ["Another", "Clean speech", "Noisy speech"]
    assert titles(client, "?sort=oldest") == ["Noisy speech", "Clean speech", "Another"]
    assert titles(client, "?sort=title") == ["Another", "Clean speech", "Noisy speech"]
    assert titles(client, "?sort=answers")[0] == "Noisy speech"
    assert titles(client, "?q=speech+clean") == ["Clean speech"]
    assert titles(client, f"?q={other.username}") == ["Another"]
    assert titles(client, "?show=live") == ["Noisy speech"]
    assert titles(client, "?show=nonsense&sort=nonsense") == ["Another", "Clean speech", "Noisy speech"]
    page = client.get("/experiments/?q=noisy").content.decode()
    assert "0 of 2 seats" in page
    assert owner.username in page
    assert 'value="noisy"' in page
    assert "No experiment fits" in client.get("/experiments/?q=zzz").content.decode()


def test_a_refused_change_of_state_is_said_on_the_page(client: Client) -> None:
    experiment = make_experiment(live=False)
    client.force_login(experiment.owner)
    page = client.post(f"/experiments/{experiment.slug}/state/pause/", follow=True)
    assert page.redirect_chain == [(f"/experiments/{experiment.slug}/", 302)]
    assert "this needs it to be live" in page.content.decode()
    page = client.post(f"/experiments/{experiment.slug}/state/live/", follow=True)
    assert page.redirect_chain == [(f"/experiments/{experiment.slug}/live/", 302)]
    assert "has no seats" in page.content.decode()
