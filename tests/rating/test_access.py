"""Access to experiments: what owners, editors and viewers may do, sharing, and handing over."""

from contextlib import suppress
from copy import deepcopy
from uuid import uuid4

import pytest
from django.template.base import Template
from django.test import Client
from django.urls import NoReverseMatch, reverse

from core.models import AuditEntry, User
from rating.models import Collaborator, Experiment
from rating.services.access import Access, access_of, experiment_for, share, transfer, unshare
from stimuli.services.collections import collection_for
from tests.contracts.routes import TABLE
from tests.errors import raises_error
from tests.factories import make_experiment, make_user
from tests.scale import ALL

pytestmark = pytest.mark.django_db

ARGUMENTS = {
    "number": 1,
    "place": 1,
    "sheet_number": 1,
    "change": "pause",
    "method": "mos",
    "name": "means.csv",
    "link_id": uuid4(),
    "entry_id": uuid4(),
    "key": "age_band",
    "label_set": "own-1",
}
# A viewer may copy what can be seen, have it as PDF, be told of it by e-mail, give up the own access, and restores
# nothing, because the bin is the owner's.
FREE = {"listening:copy", "rating:restore", "analysis:write_report_pdf", "listening:monitor_alert"}
# Pages of the owner, and of a question and a label set that this experiment does not have.
NOT_SEEN = {"rating:delete", "listening:question", "rating:own_labels"}


@pytest.fixture(scope="module")
def shared_rows(module_db: None) -> tuple[Experiment, User, User]:
    """An experiment with an editor and a viewer."""
    experiment, editor, viewer = make_experiment(seats=1), make_user(), make_user()
    for colleague, role in ((editor, Collaborator.Role.EDITOR), (viewer, Collaborator.Role.VIEWER)):
        share(experiment=experiment, actor=experiment.owner, colleague_name=colleague.username, role=role)
    return experiment, editor, viewer


@pytest.fixture
def shared(shared_rows: tuple[Experiment, User, User]) -> tuple[Experiment, User, User]:
    return deepcopy(shared_rows)


@pytest.fixture(scope="module")
def signed_in(shared_rows: tuple[Experiment, User, User]) -> Client:
    """The viewer's browser."""
    client = Client()
    client.force_login(shared_rows[2])
    return client


@pytest.fixture
def viewing(signed_in: Client, monkeypatch: pytest.MonkeyPatch) -> Client:
    """A copy of it, for questions of which only the status is looked at: in the short run no page is drawn for them."""
    client = Client()
    client.cookies = deepcopy(signed_in.cookies)
    if not ALL:
        monkeypatch.setattr(Template, "render", lambda template, context: "")
    return client


def test_each_role_has_its_access(shared: tuple[Experiment, User, User]) -> None:
    experiment, editor, viewer = shared
    people = [experiment.owner, make_user(User.Role.ADMIN), editor, viewer, make_user()]
    held = [Access.MANAGE, Access.MANAGE, Access.CHANGE, Access.VIEW, None]
    assert [access_of(person, experiment) for person in people] == held
    with raises_error("experiment.read_only"):
        experiment_for(viewer, experiment.slug, need=Access.CHANGE)
    with raises_error("experiment.owner_only"):
        experiment_for(editor, experiment.slug, need=Access.MANAGE)


def address_of(route: str, experiment: Experiment) -> str | None:
    """The address of a route about an experiment, or nothing."""
    for names in (
        "",
        "number",
        "number place",
        "number place sheet_number",
        "change",
        "method",
        "method name",
        "link_id",
        "entry_id",
        "key",
        "label_set",
    ):
        with suppress(NoReverseMatch):
            return reverse(route, kwargs={"slug": experiment.slug, **{name: ARGUMENTS[name] for name in names.split()}})
    return None


def routes_about_experiments(kind: int) -> list[str]:
    """Routes that the owner of an experiment reaches by GET (0) or by POST (1)."""
    about = ("rating:", "listening:", "analysis:", "api:experiment", "api:unblinding", "api:result", "api:dataset")
    return sorted(
        name for name, ways in TABLE.items() if name.startswith(about) and ways[kind].startswith(("owned", "api-owned"))
    )


@pytest.mark.parametrize("route", sorted(set(routes_about_experiments(1)) - FREE))
def test_a_viewer_changes_nothing_by_any_address(
    viewing: Client, shared: tuple[Experiment, User, User], route: str
) -> None:
    experiment, _, _ = shared
    address = address_of(route, experiment)
    assert address is not None
    entries = AuditEntry.objects.count()
    assert viewing.post(address).status_code == 403
    assert AuditEntry.objects.count() == entries


@pytest.mark.parametrize("route", sorted(set(routes_about_experiments(0)) - NOT_SEEN))
def test_a_viewer_sees_every_page(viewing: Client, shared: tuple[Experiment, User, User], route: str) -> None:
    experiment, _, _ = shared
    assert viewing.get(address_of(route, experiment) or "").status_code not in {403, 404}


@pytest.mark.parametrize("route", ["rating:share", "rating:unshare", "rating:transfer", "rating:delete"])
def test_an_editor_neither_shares_nor_deletes(
    client: Client, shared: tuple[Experiment, User, User], route: str
) -> None:
    experiment, editor, _ = shared
    client.force_login(editor)
    assert client.post(reverse(route, args=[experiment.slug])).status_code == 403
    assert client.post(reverse("rating:state", args=[experiment.slug, "pause"])).status_code == 302


def test_pages_offer_a_viewer_no_button_that_is_refused(client: Client, shared: tuple[Experiment, User, User]) -> None:
    experiment, _, viewer = shared
    client.force_login(viewer)
    overview = client.get(f"/experiments/{experiment.slug}/").content.decode()
    assert "View only" in overview
    assert "/state/pause/" not in overview
    settings = client.get(f"/experiments/{experiment.slug}/settings/").content.decode()
    assert "Ask" in settings
    assert "/share/" not in settings
    assert "/delete/" not in settings
    assert "Amend" not in settings
    people = client.get(f"/experiments/{experiment.slug}/people/").content.decode()
    before, after = people.split("<fieldset disabled>")
    assert "<form" not in before.partition("<main")[2]
    assert "<form" not in after.partition("</fieldset>")[2]


def test_an_unknown_colleague_is_refused_beside_the_field_with_what_was_typed(client: Client) -> None:
    experiment = make_experiment()
    client.force_login(experiment.owner)
    page = client.post(f"/experiments/{experiment.slug}/share/", {"colleague": "nobdoy", "role": "viewer"})
    text = page.content.decode()
    assert "no account called &#x27;nobdoy&#x27;" in text.split('for="share_colleague"')[1].split("<label")[0]
    assert 'value="nobdoy"' in text
    assert '<option value="viewer" selected>' in text


def test_sharing_again_changes_the_role(shared: tuple[Experiment, User, User]) -> None:
    experiment, _, viewer = shared
    share(experiment=experiment, actor=experiment.owner, colleague_name=viewer.username)
    assert access_of(viewer, experiment) == Access.CHANGE
    with raises_error("experiment.owner_shares"):
        share(experiment=experiment, actor=experiment.owner, colleague_name=experiment.owner.username)


def test_who_is_no_longer_shared_with_sees_neither_the_experiment_nor_its_collection(
    client: Client, shared: tuple[Experiment, User, User]
) -> None:
    experiment, editor, viewer = shared
    client.force_login(experiment.owner)
    client.post(f"/experiments/{experiment.slug}/unshare/", {"colleague": editor.username})
    with raises_error("experiment.not_found"):
        experiment_for(editor, experiment.slug)
    with raises_error("collection.not_found"):
        collection_for(editor, experiment.collection.slug)
    assert collection_for(viewer, experiment.collection.slug) == experiment.collection
    assert AuditEntry.objects.get(action="experiment.unshared").before == {"colleague": editor.username}


def test_a_collection_stays_readable_while_another_shared_experiment_uses_it(
    shared: tuple[Experiment, User, User],
) -> None:
    experiment, editor, _ = shared
    other = make_experiment(experiment.owner, collection=experiment.collection, live=False)
    share(experiment=other, actor=other.owner, colleague_name=editor.username)
    unshare(experiment=experiment, actor=experiment.owner, colleague_name=editor.username)
    assert collection_for(editor, experiment.collection.slug) == experiment.collection


def test_a_colleague_can_leave(client: Client, shared: tuple[Experiment, User, User]) -> None:
    experiment, _, viewer = shared
    client.force_login(viewer)
    answer = client.post(f"/experiments/{experiment.slug}/unshare/", {"colleague": viewer.username})
    assert answer["Location"] == "/experiments/"
    assert access_of(viewer, experiment) is None


def test_a_new_owner_has_the_experiment_and_the_old_one_stays_as_an_editor(
    client: Client, shared: tuple[Experiment, User, User]
) -> None:
    experiment, _, viewer = shared
    before = experiment.owner
    client.force_login(before)
    refused = client.post(f"/experiments/{experiment.slug}/transfer/", {"colleague": "nobdoy"}).content.decode()
    assert "no account called" in refused.split('for="transfer_colleague"')[1]
    client.post(f"/experiments/{experiment.slug}/transfer/", {"colleague": viewer.username})
    given = Experiment.objects.get(pk=experiment.pk)
    assert given.owner == viewer
    assert (access_of(viewer, given), access_of(before, given)) == (Access.MANAGE, Access.CHANGE)
    assert collection_for(viewer, given.collection.slug) == given.collection
    transfer(experiment=given, actor=viewer, colleague_name=viewer.username)
    assert AuditEntry.objects.filter(action="experiment.transferred").count() == 1
