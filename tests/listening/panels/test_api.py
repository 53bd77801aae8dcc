"""An experimenter's work over the API, with a token alone: from a collection to links, and back."""

from typing import Any
from urllib.parse import urlsplit

import pytest
from django.test import Client

from core.jobs import queue
from core.jobs.worker import work
from core.models import AuditEntry, User
from listening.models import Seat
from rating.models import Experiment
from tests.factories import make_collection, make_experiment, make_panel_collection, make_user, sit_down
from tests.people import bearing, token_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("_planned_here")]

API = "/api/v1/experiments/"


@pytest.fixture
def owner() -> User:
    return make_user()


@pytest.fixture
def script(owner: User) -> Client:
    return bearing(token_of(owner, "read", "write", "unblind"))


def send(client: Client, address: str, body: Any = None, method: str = "post") -> Any:
    return getattr(client, method)(address, body or {}, content_type="application/json")


def code(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


def made(owner: User, script: Client, **fields: Any) -> str:
    """The address of a new draft."""
    asked = {"title": "Codecs", "collection": make_panel_collection(owner).slug, "protocol": "acr", **fields}
    answer = send(script, API, asked)
    assert answer.status_code == 201, answer.content
    return f"{API}{answer.json()['slug']}/"


def test_an_experiment_goes_from_a_collection_to_links_that_open(owner: User, script: Client) -> None:
    place = made(owner, script)
    experiment = script.get(place).json()
    assert (experiment["state"], experiment["label_set"]) == ("draft", "acr-en-1")
    assert "voluntary" in experiment["consent_text"]  # the standard text
    assert script.get(f"{place}state/").json()["ready"] is False

    wanted = {"panels": 2, "seats": 2, "size": 4, "sessions": 1, "factors": ["session"]}
    preview = send(script, f"{place}design/preview/", wanted).json()
    assert preview["settings"]["preset"] == "crossed"
    assert {finding["verdict"] for finding in preview["report"]["findings"]} <= {"ok", "warn", "bad"}
    assert Seat.objects.count() == 0
    job = send(script, f"{place}design/", wanted | {"sha256": preview["sha256"]})
    assert job.status_code == 202
    claimed = queue.claim(worker="test", names=[job.json()["name"]], job_id=job.json()["id"])
    assert claimed is not None
    work(claimed)
    assert script.get(f"/api/v1/jobs/{job.json()['id']}/").json()["state"] == "done"
    applied = script.get(f"{place}design/").json()
    assert (applied["sha256"], applied["job"]) == (preview["sha256"], None)
    assert [(row["total"], row["needed"]) for row in script.get(f"{place}panels/").json()] == [(2, 2), (2, 2)]
    assert len(script.get(f"{place}seats/").json()) == 4

    assert send(script, f"{place}state/", {"state": "live"}).json()["state"] == "live"
    links = send(script, f"{place}links/", {"panel": 2, "labels": ["P01", "P02"], "days": 7})
    assert links.status_code == 201
    first, second = links.json()["links"]
    assert (first["label"], second["label"]) == ("P01", "P02")
    assert "secret" not in first["link"]
    assert Client().get(urlsplit(first["link"]).path).status_code == 200
    listed = {link["label"]: link for link in script.get(f"{place}links/").json()["results"]}
    assert (listed["P01"]["state"], listed["P02"]["state"]) == ("opened", "made")
    one = f"{place}links/{listed['P02']['id']}/"
    assert send(script, one, {"label": "P03"}, "patch").json()["label"] == "P03"
    assert send(script, f"{one}revocation/").json()["state"] == "revoked"
    assert code(send(script, f"{one}revocation/")) == (409, "invitation.not_revocable")
    assert [link["label"] for link in script.get(f"{place}links/?state=revoked").json()["results"]] == ["P03"]

    seen = script.get(f"{place}monitor/").json()
    assert (len(seen["panels"]), seen["remaining"]) == (2, seen["planned"])
    assert [row["experiment"] for row in script.get("/api/v1/monitor/").json()] == [experiment["slug"]]
    assert script.get(f"{place}design-csv.zip").status_code == 200


def test_wrong_fields_are_named_and_an_error_has_the_code_of_the_page(owner: User, script: Client) -> None:
    answer = send(script, API, {"title": "", "collection": "none", "protocol": "acr"})
    assert code(answer) == (400, "request.invalid")
    assert list(answer.json()["data"]["fields"]) == ["title"]
    assert code(send(script, API, {"title": "A", "collection": "none", "protocol": "acr"})) == (
        404,
        "collection.not_found",
    )
    place = made(owner, script)
    answer = send(script, f"{place}design/preview/", {"panels": 99, "seats": 999})
    assert code(answer) == (400, "request.invalid")
    assert "seats" in answer.json()["data"]["fields"]
    assert code(send(script, f"{place}state/", {"state": "live"})) == (409, "experiment.no_seats")
    assert code(send(script, f"{place}state/", {"state": "gone"})) == (400, "request.invalid")
    assert code(send(script, f"{place}links/", {"panel": 1})) == (404, "panel.unknown")
    assert code(send(script, f"{place}options/", {"options": {"nothing": 1}}, "patch")) == (
        422,
        "experiment.unknown_option",
    )
    assert code(send(script, f"{place}session-settings/", {"rest_s": 9999}, "patch")) == (400, "request.invalid")


def test_a_draft_is_edited_and_a_live_one_amended_with_a_reason(owner: User, script: Client) -> None:
    experiment = make_experiment(owner, seats=1, live=False)
    place = f"{API}{experiment.slug}/"
    edited = send(script, place, {"title": "Renamed", "slug": "renamed"}, "patch").json()
    place = f"{API}renamed/"
    assert (edited["title"], edited["slug"]) == ("Renamed", "renamed")
    send(script, f"{place}state/", {"state": "live"})
    assert code(send(script, place, {"contact": "new@example.org"}, "patch")) == (422, "experiment.reason_missing")
    assert code(send(script, place, {"protocol": "dcr", "reason": "why"}, "patch")) == (409, "experiment.wrong_state")
    amended = send(script, place, {"contact": "new@example.org", "reason": "It moved."}, "patch")
    assert amended.json()["contact"] == "new@example.org"
    versions = script.get(f"{place}texts/").json()
    assert [(version["number"], version["reason"], version["consents"]) for version in versions] == [
        (1, "", 0),
        (2, "It moved.", 0),
    ]
    assert send(script, f"{place}session-settings/", {"stated_minutes": 12}, "patch").json()["stated_minutes"] == 12
    assert send(script, f"{place}state/", {"state": "draft"}).json()["state"] == "draft"
    lost = script.delete(f"{place}seats/").json()
    assert (lost["seats"], lost["panels"]) == (1, 1)


def test_a_colleague_gets_a_role_and_an_owner_hands_over(owner: User, script: Client) -> None:
    place = f"{API}{make_experiment(owner).slug}/"
    colleague = make_user()
    theirs = bearing(token_of(colleague, "read", "write"))
    assert send(script, f"{place}shares/", {"colleague": colleague.username, "role": "viewer"}).status_code == 201
    assert theirs.get(place).status_code == 200
    assert code(send(theirs, f"{place}state/", {"state": "paused"})) == (403, "experiment.read_only")
    assert code(send(theirs, f"{place}owner/", {"colleague": colleague.username})) == (403, "experiment.owner_only")
    assert code(theirs.delete(f"{place}shares/{owner.username}/")) == (403, "experiment.owner_only")
    assert send(theirs, f"{place}copies/").status_code == 201  # what one sees can be copied
    assert send(script, f"{place}owner/", {"colleague": colleague.username}).json()["owner"] == colleague.username
    assert theirs.delete(f"{place}shares/{owner.username}/").status_code == 204
    assert script.get(place).status_code == 404


@pytest.mark.parametrize("state", ["live", "paused"])
def test_unblinding_while_people_can_listen_must_be_confirmed(owner: User, script: Client, state: str) -> None:
    experiment = make_experiment(owner, seats=1)
    place = f"{API}{experiment.slug}/"
    if state == "paused":
        send(script, f"{place}state/", {"state": state})
    early = send(script, f"{place}unblinding/", {"reason": "Curious."})
    assert code(early) == (409, "experiment.unblinding_unconfirmed")
    assert "Close the experiment first" in early.json()["detail"]
    assert script.get(place).json()["unblinded_at"] is None
    assert send(script, f"{place}unblinding/", {"reason": "Curious.", "confirm": True}).json()["unblinded_at"]


def test_archive_bin_and_unblinding(owner: User, script: Client) -> None:
    experiment = make_experiment(owner, seats=1)
    place = f"{API}{experiment.slug}/"
    assert code(send(script, f"{place}archive/")) == (409, "experiment.wrong_state")
    send(script, f"{place}state/", {"state": "closed", "reason": "Enough."})
    assert send(script, f"{place}archive/").json()["archived_at"]
    assert send(script, f"{place}archive/", {"archived": False}).json()["archived_at"] is None
    writer = bearing(token_of(owner, "read", "write", name="other"))
    assert code(send(writer, f"{place}unblinding/", {"reason": "Done."})) == (403, "token.scope")
    assert send(script, f"{place}unblinding/", {"reason": "Done."}).json()["unblinded_at"]
    assert script.get(f"{place}deletion/").json()["lost"]["seats"] == 1
    assert code(send(script, f"{place}deletion/", {"typed": "other"})) == (422, "experiment.name_mismatch")
    assert send(script, f"{place}deletion/", {"typed": experiment.slug}).status_code == 204
    assert script.get(place).status_code == 404
    assert send(script, f"{place}restoration/").status_code == 200
    assert script.get(place).status_code == 200
    assert AuditEntry.objects.filter(reason="Enough.").exists()


def test_seats_are_released_and_open_links_closed(owner: User, script: Client) -> None:
    experiment = make_experiment(owner, seats=1)
    place = f"{API}{experiment.slug}/"
    sit_down(experiment)
    released = send(script, f"{place}panels/1/seats/1/release/", {"reason": "They left."}).json()
    assert (released["state"], released["occupancy"]) == ("open", 2)
    assert code(send(script, f"{place}panels/1/seats/9/release/", {"reason": "x"})) == (404, "seat.unknown")
    link = send(script, f"{place}open-links/", {"service": "prolific"}).json()["links"][0]["link"]
    assert "PROLIFIC_PID" in link
    assert script.delete(f"{place}open-links/").json() == {"closed": 1}
    assert len(send(script, f"{place}rehearsals/", {"count": 2}).json()["links"]) == 2
    assert script.get(f"{place}completion-codes.csv").content.startswith(b"completion_code")


def test_a_collection_is_renamed_copied_and_deleted(owner: User, script: Client) -> None:
    collection = make_collection(owner)
    place = f"/api/v1/collections/{collection.slug}/"
    assert send(script, place, {"title": "Speech"}, "patch").json()["title"] == "Speech"
    clips = script.get(f"{place}clips/").json()
    assert len(clips) == 4
    assert all(clip["duration_s"] > 0 for clip in clips)
    item = script.get(f"{place}items/").json()["results"][0]
    out = send(script, f"{place}items/{item['id']}/", {"excluded": True, "reason": "Noise."}, "patch").json()
    assert (out["excluded_reason"], bool(out["excluded_at"])) == ("Noise.", True)
    assert send(script, f"{place}items/{item['id']}/", {"excluded": False}, "patch").json()["excluded_at"] is None
    copy = send(script, f"{place}copies/", {"target_lufs": 20})
    assert code(copy) == (400, "request.invalid")
    assert code(send(script, f"{place}deletion/", {"typed": "x"}))[0] == 422
    assert send(script, f"{place}deletion/", {"typed": collection.slug}).status_code == 204


def test_experiments_are_searched_and_protocols_described(owner: User, script: Client) -> None:
    slugs = [make_experiment(owner, title=title, live=False).slug for title in ("Codecs", "Trains")]
    assert [row["slug"] for row in script.get(f"{API}?search=trains").json()["results"]] == [slugs[1]]
    assert script.get(f"{API}?state=live").json()["results"] == []
    acr = next(row for row in script.get("/api/v1/protocols/").json() if row["slug"] == "acr")
    assert acr["scales"][0]["high"] == 5
    assert "practice" in {option["name"] for option in acr["options"]}
    assert Experiment.objects.count() == 2
