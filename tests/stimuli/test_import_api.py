"""Collections and imports over the API: from an empty collection to files that are looked at, with a token alone."""

import hashlib
import json
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from core.models import Job, User
from stimuli.models import Collection, Import, ImportFile
from stimuli.uploads import manifest
from tests.factories import make_collection, make_user
from tests.people import bearing, browser_of, token_of
from tests.scale import ALL
from tests.stimuli.import_material import arrived, begin, new_collection
from tests.stimuli.tus_client import patch

pytestmark = pytest.mark.django_db

API = "/api/v1/collections/"


@pytest.fixture
def owner() -> User:
    return make_user()


@pytest.fixture
def script(owner: User) -> Client:
    return bearing(token_of(owner, "read", "write"))


def post(client: Client, address: str, body: Any = None) -> Any:
    return client.post(address, body or {}, content_type="application/json")


def code(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


def test_a_script_makes_a_collection_sends_files_and_has_them_looked_at(script: Client) -> None:
    assert post(script, API, {"slug": "study", "title": "A study"}).status_code == 201
    contents = {"C0/a.wav": b"first", "C1/a.wav": b"second", "empty.csv": b""}
    files = [{"path": path, "byte_count": len(content)} for path, content in contents.items()]
    begun = post(script, f"{API}study/imports/", {"files": files})
    assert begun.status_code == 201
    import_ = begun.json()
    assert {file["path"] for file in import_["files"]} == set(contents)
    for file in import_["files"]:
        upload = ImportFile.objects.get(path=file["path"])
        assert file["upload_url"] == f"/api/v1/uploads/{upload.pk}/"
        if upload.byte_count:
            assert patch(script, upload, contents[file["path"]]).status_code == 204
    place = f"{API}study/imports/{import_['id']}/"
    digests = {path: hashlib.sha256(content).hexdigest() for path, content in contents.items()}
    submitted = post(script, f"{place}submit/", {"digests": digests})
    assert (submitted.status_code, submitted.json()["state"]) == (202, "checking")
    shown = script.get(place).json()
    assert shown["arrival"] == {"files": 3, "complete": 3, "bytes": 11, "received": 11}
    assert (shown["job"]["name"], shown["job"]["state"]) == ("stimuli.check_import", "queued")
    assert script.get(f"/api/v1/jobs/{shown['job']['id']}/").status_code == 200


def test_missing_files_can_be_asked_for_and_more_can_be_added(script: Client, owner: User) -> None:
    import_ = arrived(new_collection(owner))
    place = f"{API}{import_.collection.slug}/imports/{import_.pk}/files/"
    assert post(script, place, {"files": [{"path": "C1/a.wav", "byte_count": 4}]}).status_code == 201
    assert [file["path"] for file in script.get(place).json()] == ["C0/a.wav", "C1/a.wav"]
    assert [file["path"] for file in script.get(f"{place}?missing=1").json()] == ["C1/a.wav"]


def test_what_was_proposed_is_confirmed_or_cancelled(script: Client, owner: User) -> None:
    collection = new_collection(owner)
    first, second = arrived(collection), arrived(collection)
    place = f"{API}{collection.slug}/imports/"
    assert code(post(script, f"{place}{first.pk}/confirm/")) == (409, "import.wrong_state")
    Import.objects.update(state=Import.State.PROPOSED)
    assert post(script, f"{place}{first.pk}/confirm/").json()["state"] == "importing"
    assert Job.objects.get().name == "stimuli.commit_confirmed_import"
    assert post(script, f"{place}{second.pk}/cancel/").json()["state"] == "cancelled"
    assert [import_["state"] for import_ in script.get(place).json()["results"]] == ["cancelled", "importing"]


def test_a_collection_is_shown_with_its_matrix_in_short(script: Client, owner: User) -> None:
    collection = make_collection(owner, items=3, conditions=2)
    collection.items.first().stimuli.first().delete()  # type: ignore[union-attr]
    shown = script.get(f"{API}{collection.slug}/").json()
    assert (shown["item_count"], shown["condition_count"], shown["missing_count"]) == (3, 2, 1)
    assert [(one["name"], one["role"], one["stimulus_count"]) for one in shown["conditions"]] == [
        ("secretcondition0", "test", 2),
        ("secretcondition1", "test", 3),
    ]
    assert [one["slug"] for one in script.get(API).json()["results"]] == [collection.slug]


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"files": []},
        {"files": [{"path": "a.wav"}]},
        {"files": [{"path": "", "byte_count": 1}]},
        {"files": [{"path": "a.wav", "byte_count": -1}]},
        {"files": [{"path": "a.wav", "byte_count": 2**53}]},
        {"files": "a.wav"},
    ],
)
def test_a_list_of_the_wrong_shape_is_refused_with_its_fields(script: Client, owner: User, body: Any) -> None:
    collection = new_collection(owner)
    answer = post(script, f"{API}{collection.slug}/imports/", body)
    assert code(answer) == (400, "request.invalid")
    assert "files" in answer.json()["data"]["fields"]


def test_a_layout_that_nobody_knows_is_refused_before_anything_is_sent(script: Client, owner: User) -> None:
    body = {"files": [{"path": "a.wav", "byte_count": 1}], "layout": "circles"}
    answer = post(script, f"{API}{new_collection(owner).slug}/imports/", body)
    assert (*code(answer), list(answer.json()["data"]["fields"])) == (400, "request.invalid", ["layout"])
    assert not Import.objects.exists()


def test_a_script_leaves_out_takes_back_replaces_and_adds_files(script: Client, owner: User) -> None:
    import_ = arrived(new_collection(owner))
    place = f"{API}{import_.collection.slug}/imports/{import_.pk}/"

    def at(state: str) -> None:
        Import.objects.update(state=state)

    assert code(post(script, f"{place}leave-out/", {"paths": ["C0/a.wav"]})) == (409, "import.wrong_state")
    at("errors")
    left = post(script, f"{place}leave-out/", {"paths": ["C0/a.wav"], "reason": "noise"})
    assert (left.status_code, left.json()["state"]) == (202, "checking")
    (record,) = left.json()["corrections"]
    assert (record["action"], record["path"], record["by"], record["reason"]) == (
        "left_out",
        "C0/a.wav",
        owner.username,
        "noise",
    )
    at("errors")
    assert code(post(script, f"{place}leave-out/", {"paths": ["none.wav"]})) == (422, "import.file_unknown")
    assert post(script, f"{place}take-back/", {"paths": ["C0/a.wav"]}).json()["corrections"] == []
    at("errors")
    (announced,) = post(script, f"{place}replace/", {"files": [{"path": "C0/a.wav", "byte_count": 5}]}).json()
    upload = ImportFile.objects.get()
    assert announced["upload_url"] == f"/api/v1/uploads/{upload.pk}/"
    assert patch(script, upload, b"fixed").status_code == 204
    at("proposed")
    assert post(script, f"{place}reopen/").json()["state"] == "receiving"


def test_a_list_that_leads_astray_is_refused_in_a_sentence(script: Client, owner: User) -> None:
    files = [{"path": "../a.wav", "byte_count": 1}]
    answer = post(script, f"{API}{new_collection(owner).slug}/imports/", {"files": files})
    assert code(answer) == (422, "upload.files_refused")
    assert "'../a.wav'" in answer.json()["detail"]


def test_as_many_paths_as_are_allowed_fit_into_one_list(
    script: Client, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fewer and longer ones unless --all is given: the list is longer than what a request may hold otherwise."""
    if not ALL:
        monkeypatch.setattr(manifest, "MOST_FILES", 4200)
    collection = new_collection(owner)
    folder = "a folder with a long name/" * (4 if ALL else 18)
    files = [{"path": f"{folder}{n:05}.wav", "byte_count": 1} for n in range(manifest.MOST_FILES)]
    body = json.dumps({"files": files})
    assert len(body) > 2 * 1024 * 1024
    assert post(script, f"{API}{collection.slug}/imports/", body).status_code == 201
    assert ImportFile.objects.count() == manifest.MOST_FILES


@pytest.mark.parametrize("place", [API, "/collections/"])
def test_a_longer_list_of_collections_asks_the_database_no_more(owner: User, place: str) -> None:
    browser = browser_of(owner)
    asked = []
    for _ in range(3):
        new_collection(owner)
        browser.get(place)
        with CaptureQueriesContext(connection) as queries:
            assert browser.get(place).status_code == 200
        asked.append(len(queries))
    assert asked[0] == asked[1] == asked[2]


def test_a_short_name_that_is_taken_or_odd_is_refused(script: Client, owner: User) -> None:
    taken = new_collection().slug
    assert code(post(script, API, {"slug": taken, "title": "Mine"})) == (409, "collection.slug_taken")
    assert code(post(script, API, {"slug": "not a slug", "title": "Mine"})) == (400, "request.invalid")
    assert Collection.objects.count() == 1


def test_imports_are_seen_by_those_who_made_them(owner: User) -> None:
    import_ = begin(new_collection(owner))
    colleague = make_user()
    import_.collection.readers.add(colleague)
    place = f"{API}{import_.collection.slug}/imports/"
    assert browser_of(colleague).get(place).json()["results"] == []
    assert code(browser_of(colleague).get(f"{place}{import_.pk}/")) == (404, "import.not_found")
    files = [{"path": "a.wav", "byte_count": 1}]
    assert code(post(browser_of(colleague), place, {"files": files})) == (403, "collection.not_yours")
    assert code(browser_of(make_user()).get(place)) == (404, "collection.not_found")
    assert code(browser_of(owner).get(f"{place}{uuid4()}/")) == (404, "import.not_found")
    elsewhere = new_collection(owner)
    assert code(browser_of(owner).get(f"{API}{elsewhere.slug}/imports/{import_.pk}/")) == (404, "import.not_found")


def test_the_api_describes_its_imports_and_uploads(script: Client) -> None:
    described = json.loads(script.get("/api/v1/schema/", headers={"accept": "application/json"}).content)
    place = "/api/v1/collections/{slug}/imports/"
    assert {"get", "post"} <= set(described["paths"][place])
    assert {"get", "patch", "delete"} <= set(described["paths"]["/api/v1/uploads/{upload_id}/"])
    assert (
        "application/offset+octet-stream"
        in (described["paths"]["/api/v1/uploads/{upload_id}/"]["patch"]["requestBody"]["content"])
    )
