"""The protocol of uploads over HTTP: tus 1.0.0 as its text asks for it, and every request that is wrong."""

import base64
import hashlib
from datetime import timedelta
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone
from django.utils.http import parse_http_date
from pytest_django.fixtures import Settings

from core.models import User
from stimuli.models import Import, ImportFile
from stimuli.services.imports import cancel_import
from stimuli.uploads import files as upload_files
from stimuli.uploads.manifest import DeclaredFile
from tests.factories import make_user
from tests.people import bearing, browser_of, token_of
from tests.stimuli.import_material import begin, new_collection
from tests.stimuli.tus_client import BYTES, TUS, address, checksum, code, create, encoded, head, on_disk, patch

pytestmark = pytest.mark.django_db

CONTENT = b"forty-two bytes of sound, or what goes for"


@pytest.fixture
def owner() -> User:
    return make_user()


@pytest.fixture
def upload(owner: User) -> ImportFile:
    return begin(new_collection(owner), DeclaredFile("C0/a.wav", len(CONTENT))).files.get()


# --- Core -----------------------------------------------------------------------------------------------------------


def test_a_file_arrives_in_pieces_and_head_says_how_far_it_is(owner: User, upload: ImportFile) -> None:
    client = browser_of(owner)
    assert head(client, upload).headers["Upload-Offset"] == "0"
    first = patch(client, upload, CONTENT[:10])
    assert (first.status_code, first.headers["Upload-Offset"], first.content) == (204, "10", b"")
    answer = head(client, upload)
    assert answer.status_code == 200
    assert {name: answer.headers[name] for name in ("Upload-Offset", "Upload-Length", "Cache-Control")} == {
        "Upload-Offset": "10",
        "Upload-Length": str(len(CONTENT)),
        "Cache-Control": "no-store",
    }
    assert patch(client, upload, CONTENT[10:], 10).headers["Upload-Offset"] == str(len(CONTENT))
    assert on_disk(upload) == CONTENT


def test_options_says_what_is_spoken_without_asking_for_a_version(owner: User, upload: ImportFile) -> None:
    answer = browser_of(owner).options(address(upload))
    assert answer.status_code == 204
    assert answer.headers["Tus-Version"] == "1.0.0"
    assert set(answer.headers["Tus-Extension"].split(",")) == {"creation", "checksum", "expiration", "termination"}
    assert answer.headers["Tus-Checksum-Algorithm"] == "sha1,sha256"
    assert int(answer.headers["Tus-Max-Size"]) == 200 * 10**9


def test_a_piece_for_another_place_is_refused_and_changes_nothing(owner: User, upload: ImportFile) -> None:
    client = browser_of(owner)
    patch(client, upload, CONTENT[:10])
    for offset in (0, 9, 11):
        assert code(patch(client, upload, b"xx", offset)) == (409, "upload.offset")
    assert on_disk(upload) == CONTENT[:10]
    assert head(client, upload).headers["Upload-Offset"] == "10"


@pytest.mark.parametrize("version", ["", "0.2.2", "2.0.0"])
def test_another_version_of_the_protocol_is_refused_with_the_right_one(
    owner: User, upload: ImportFile, version: str
) -> None:
    answer = patch(browser_of(owner), upload, CONTENT, headers={"Tus-Resumable": version})
    assert code(answer) == (412, "upload.version")
    assert answer.headers["Tus-Version"] == "1.0.0"
    assert not upload_files.path_of(upload).exists()


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"Content-Type": "application/octet-stream"}, (415, "upload.media_type")),
        ({"Upload-Offset": ""}, (400, "upload.header")),
        ({"Upload-Offset": "-1"}, (400, "upload.header")),
        ({"Upload-Offset": "9" * 30}, (400, "upload.header")),
        ({"Upload-Offset": "\u0663"}, (400, "upload.header")),
        ({"Content-Length": "9" * 5000}, (400, "upload.header")),
        ({"Repr-Digest": "sha-256=:short:"}, (400, "upload.header")),
        ({"Upload-Checksum": "md5 1B2M2Y8AsgTpgAmY7PhCfg=="}, (400, "upload.checksum_unknown")),
        ({"Upload-Checksum": "sha1 not base64"}, (400, "upload.checksum_unknown")),
        ({"Upload-Checksum": ""}, (400, "upload.checksum_unknown")),
    ],
)
def test_a_request_that_cannot_be_understood_is_refused_before_a_byte_is_written(
    owner: User, upload: ImportFile, headers: dict[str, str], expected: tuple[int, str]
) -> None:
    assert code(patch(browser_of(owner), upload, CONTENT, headers=headers)) == expected
    assert not upload_files.path_of(upload).exists()


def test_more_than_was_announced_is_refused(owner: User, upload: ImportFile) -> None:
    client = browser_of(owner)
    patch(client, upload, CONTENT[:40])
    assert code(patch(client, upload, b"too much", 40)) == (413, "upload.too_long")
    assert on_disk(upload) == CONTENT[:40]


def test_a_request_that_does_not_say_how_long_it_is_is_refused(owner: User, upload: ImportFile) -> None:
    headers = {"HTTP_TUS_RESUMABLE": "1.0.0", "HTTP_UPLOAD_OFFSET": "0", "CONTENT_TYPE": BYTES}
    answer = browser_of(owner).request(PATH_INFO=address(upload), REQUEST_METHOD="PATCH", **headers)
    assert code(answer) == (411, "upload.body_length")


def test_a_client_that_can_only_post_says_what_it_means(owner: User, upload: ImportFile) -> None:
    client = browser_of(owner)
    headers = TUS | {"Upload-Offset": "0", "X-HTTP-Method-Override": "PATCH"}
    assert client.generic("POST", address(upload), CONTENT, BYTES, headers=headers).status_code == 204
    assert on_disk(upload) == CONTENT
    assert client.post(address(upload), headers=TUS | {"X-HTTP-Method-Override": "GET"}).status_code == 405


# --- Checksum -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ["sha1", "sha256"])
def test_a_piece_with_its_checksum_is_taken_and_a_damaged_one_is_thrown_away(
    owner: User, upload: ImportFile, algorithm: str
) -> None:
    client = browser_of(owner)
    right = {"Upload-Checksum": checksum(CONTENT[:10], algorithm)}
    assert patch(client, upload, CONTENT[:10], headers=right).status_code == 204
    wrong = {"Upload-Checksum": checksum(CONTENT[10:], algorithm)}
    damaged = CONTENT[10:-1] + b"?"
    assert code(patch(client, upload, damaged, 10, headers=wrong)) == (460, "upload.checksum")
    assert on_disk(upload) == CONTENT[:10]
    assert head(client, upload).headers["Upload-Offset"] == "10"
    assert patch(client, upload, CONTENT[10:], 10, headers=wrong).status_code == 204
    assert on_disk(upload) == CONTENT


def test_the_last_piece_may_bring_the_digest_of_the_whole_file(owner: User, upload: ImportFile) -> None:
    client = browser_of(owner)
    whole = {"Repr-Digest": f"sha-256=:{base64.b64encode(hashlib.sha256(CONTENT).digest()).decode()}:"}
    patch(client, upload, CONTENT[:10], headers=whole)
    upload.refresh_from_db()
    assert upload.claimed_sha256 == ""
    patch(client, upload, CONTENT[10:], 10, headers=whole)
    upload.refresh_from_db()
    assert upload.claimed_sha256 == hashlib.sha256(CONTENT).hexdigest()


# --- Creation -------------------------------------------------------------------------------------------------------


def test_one_more_file_is_announced_and_announcing_it_again_leads_to_the_same_upload(
    owner: User, upload: ImportFile
) -> None:
    client = browser_of(owner)
    headers = {"Upload-Length": "3", "Upload-Metadata": encoded(import_id=str(upload.parent_id), path="C1/ä.wav")}
    answer = create(client, **headers)
    assert answer.status_code == 201
    assert "Upload-Expires" in answer.headers
    made = ImportFile.objects.get(path="C1/ä.wav")
    assert answer.headers["Location"] == f"http://testserver{address(made)}"
    assert patch(client, made, b"abc").status_code == 204
    assert create(client, **headers).headers["Location"] == answer.headers["Location"]
    shown = head(client, made)
    assert (shown.headers["Upload-Offset"], shown.headers["Upload-Metadata"]) == ("3", headers["Upload-Metadata"])
    assert code(create(client, **headers | {"Upload-Length": "4"})) == (422, "upload.files_refused")


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"Upload-Defer-Length": "1"}, (400, "upload.length_deferred")),
        ({"Upload-Length": "many"}, (400, "upload.header")),
        ({"Upload-Length": "3", "Upload-Metadata": ""}, (400, "upload.header")),
        ({"Upload-Length": "3", "Upload-Metadata": "import_id x,path y"}, (400, "upload.header")),
        ({"Upload-Length": "3", "Upload-Metadata": encoded(import_id="no id", path="a.wav")}, (400, "upload.header")),
        (
            {"Upload-Length": "3", "Upload-Metadata": encoded(import_id=str(uuid4()), path="a.wav")},
            (404, "import.not_found"),
        ),
    ],
)
def test_a_file_that_is_not_announced_properly_is_refused(
    owner: User, headers: dict[str, str], expected: tuple[int, str]
) -> None:
    defaults = {"Upload-Metadata": encoded(import_id=str(uuid4()), path="a.wav")}
    assert code(create(browser_of(owner), **defaults | headers)) == expected


# --- Expiration and termination -------------------------------------------------------------------------------------


def test_every_answer_to_a_piece_says_when_the_upload_expires_and_each_piece_puts_that_off(
    owner: User, upload: ImportFile, settings: Settings
) -> None:
    Import.objects.update(expires_at=timezone.now() + timedelta(hours=2))
    answer = patch(browser_of(owner), upload, CONTENT[:10])
    expected = timezone.now() + timedelta(days=settings.UPLOAD_EXPIRES_DAYS)
    assert abs(parse_http_date(answer.headers["Upload-Expires"]) - expected.timestamp()) < 120
    assert abs(Import.objects.get().expires_at - expected) < timedelta(minutes=2)


def test_an_expired_or_cancelled_upload_is_gone(owner: User, upload: ImportFile) -> None:
    client = browser_of(owner)
    patch(client, upload, CONTENT[:10])
    Import.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert head(client, upload).status_code == 410
    assert code(patch(client, upload, CONTENT[10:], 10)) == (410, "upload.gone")
    Import.objects.update(expires_at=timezone.now() + timedelta(days=1))
    cancel_import(import_=upload.parent, actor=owner, now=timezone.now())
    assert head(client, upload).status_code == 410
    assert code(patch(client, upload, CONTENT[10:], 10)) == (410, "upload.gone")


def test_a_file_that_is_forgotten_leaves_nothing_behind(owner: User, upload: ImportFile) -> None:
    client = browser_of(owner)
    patch(client, upload, CONTENT[:10])
    assert client.delete(address(upload), headers=TUS).status_code == 204
    assert not upload_files.path_of(upload).exists()
    assert head(client, upload).status_code == 404
    assert code(client.delete(address(upload), headers=TUS)) == (404, "upload.not_found")


def test_an_import_that_is_being_looked_at_takes_no_more_bytes(owner: User, upload: ImportFile) -> None:
    client = browser_of(owner)
    patch(client, upload, CONTENT)
    Import.objects.update(state=Import.State.CHECKING)
    assert code(patch(client, upload, b"more", len(CONTENT))) == (409, "upload.closed")
    assert code(client.delete(address(upload), headers=TUS)) == (409, "upload.closed")
    assert head(client, upload).headers["Upload-Offset"] == str(len(CONTENT))
    upload_files.discard(upload.parent_id)  # as after the import
    assert head(client, upload).headers["Upload-Offset"] == str(len(CONTENT))
    assert not upload_files.folder_of(upload.parent_id).exists()


# --- Who ------------------------------------------------------------------------------------------------------------


def every_verb(client: Client, upload: ImportFile) -> set[int]:
    creation = {"Upload-Length": "3", "Upload-Metadata": encoded(import_id=str(upload.parent_id), path="b.wav")}
    answers = [
        head(client, upload),
        client.get(address(upload)),
        patch(client, upload, CONTENT),
        client.delete(address(upload), headers=TUS),
        create(client, **creation),
    ]
    return {answer.status_code for answer in answers}


def test_an_upload_exists_for_its_owner_and_for_admins_alone(owner: User, upload: ImportFile) -> None:
    assert every_verb(Client(), upload) == {401}
    assert every_verb(browser_of(make_user()), upload) == {404}
    assert ImportFile.objects.count() == 1
    assert patch(browser_of(make_user(User.Role.ADMIN)), upload, CONTENT[:5]).status_code == 204
    assert head(browser_of(owner), upload).headers["Upload-Offset"] == "5"


def test_a_token_sends_if_it_may_write_and_looks_if_it_may_read(owner: User, upload: ImportFile) -> None:
    reader, writer = bearing(token_of(owner, "read", name="r")), bearing(token_of(owner, "write", name="w"))
    assert code(patch(reader, upload, CONTENT)) == (403, "token.scope")
    assert patch(writer, upload, CONTENT).status_code == 204
    assert head(reader, upload).headers["Upload-Offset"] == str(len(CONTENT))


def test_a_page_of_another_site_cannot_send_in_a_person_s_name(owner: User, upload: ImportFile) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(owner)
    assert code(patch(strict, upload, CONTENT)) == (403, "request.csrf")
    assert not upload_files.path_of(upload).exists()
