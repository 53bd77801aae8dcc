"""Two requests that send the same part of a file at the same moment: one is taken, and the file is that one's."""

import fcntl
import io
import threading
from collections import Counter
from functools import partial

import pytest
from django.utils import timezone
from pytest_django.fixtures import Settings

from core.errors import AppError
from stimuli.models import Collection, ImportFile
from stimuli.services import imports
from stimuli.services.uploads import READ_BYTES
from stimuli.uploads import files as upload_files
from stimuli.uploads.manifest import DeclaredFile
from tests.factories import make_user
from tests.races.parallel import PATIENCE_S, at_once, side_by_side
from tests.scale import ALL
from tests.stimuli.import_material import begin, new_collection, send

pytestmark = pytest.mark.django_db(transaction=True)

PAIRS = 200 if ALL else 20
ROUNDS = 20 if ALL else 4
PIECE_BYTES = 3 * READ_BYTES
RIVALS = b"A", b"B"


@pytest.fixture
def collection() -> Collection:
    return new_collection()


def offer(upload: ImportFile, letter: bytes, offset: int, stream: io.BytesIO | None = None) -> str:
    """Send one piece that tells whose it is; returns "taken" or the code of the error."""
    content = letter * PIECE_BYTES
    try:
        send(upload, content, offset, stream=stream or io.BytesIO(content))
    except AppError as error:
        return error.code
    return "taken"


def pieces(upload: ImportFile) -> list[bytes]:
    content = upload_files.path_of(upload).read_bytes()
    return [content[start : start + PIECE_BYTES] for start in range(0, len(content), PIECE_BYTES)]


def test_of_pairs_of_requests_for_one_place_one_is_taken_and_the_file_is_that_one_s(collection: Collection) -> None:
    upload = begin(collection, DeclaredFile("a.wav", PAIRS * PIECE_BYTES)).files.get()
    lanes = [[partial(offer, upload, letter, turn * PIECE_BYTES) for turn in range(PAIRS)] for letter in RIVALS]
    turns = side_by_side(*lanes)
    assert all(sorted(turn) in (["taken", "upload.busy"], ["taken", "upload.offset"]) for turn in turns), Counter(turns)
    assert pieces(upload) == [RIVALS[turn.index("taken")] * PIECE_BYTES for turn in turns]
    upload.refresh_from_db()
    assert upload.received_bytes == PAIRS * PIECE_BYTES


class InStep(io.BytesIO):
    """A body that is read only while its rival is read too."""

    def __init__(self, content: bytes, meeting: threading.Barrier) -> None:
        super().__init__(content)
        self.meeting = meeting

    def read(self, size: int | None = -1, /) -> bytes:
        self.meeting.wait()
        return super().read(size)


def test_control_without_the_lock_on_the_file_the_bytes_of_two_requests_mix(
    collection: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Were this to pass with whole pieces, the test above would prove nothing."""
    monkeypatch.setattr(fcntl, "flock", lambda descriptor, how: None)
    upload = begin(collection, DeclaredFile("a.wav", ROUNDS * PIECE_BYTES)).files.get()
    meeting = threading.Barrier(2, timeout=PATIENCE_S)
    expected = []
    for turn in range(ROUNDS):
        offers = [
            partial(offer, upload, letter, turn * PIECE_BYTES, InStep(letter * PIECE_BYTES, meeting))
            for letter in RIVALS
        ]
        said = at_once(*offers)
        assert sorted(said) == ["taken", "upload.offset"], "the row's own lock lets only one of them count"
        expected.append(RIVALS[said.index("taken")] * PIECE_BYTES)
    assert pieces(upload) != expected


def test_two_imports_begun_at_once_do_not_reserve_the_same_room(settings: Settings) -> None:
    settings.UPLOAD_QUOTA_GB = 10 / imports.GB
    for _ in range(ROUNDS):
        collection = new_collection(make_user())

        def reserve(collection: Collection = collection) -> str:
            try:
                begin(collection, DeclaredFile("a.wav", 6))
            except AppError as error:
                return error.code
            return "begun"

        assert sorted(at_once(reserve, reserve)) == ["begun", "upload.quota"]


def test_an_import_submitted_twice_at_once_is_checked_once(collection: Collection) -> None:
    digest = "0" * 64
    for _ in range(ROUNDS):
        import_ = begin(collection, DeclaredFile("a.wav", 1))
        send(import_.files.get(), b"x")
        submit = partial(
            imports.submit_import, import_=import_, digests={"a.wav": digest}, actor=import_.owner, now=timezone.now()
        )

        def say() -> str:
            try:
                return str(submit().state)  # noqa: B023 - called within the turn
            except AppError as error:
                return error.code

        assert sorted(at_once(say, say)) == ["checking", "upload.closed"]
