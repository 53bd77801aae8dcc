"""Storage as admins see it: bytes by collection and person, and a quota of one's own."""

import re
from html import unescape

import pytest
from django.urls import reverse

from core.models import AuditEntry, User
from stimuli.models import Recording
from stimuli.services import imports, storage_use
from stimuli.uploads.manifest import DeclaredFile
from tests.errors import raises_error
from tests.factories import make_collection, make_user
from tests.people import browser_of
from tests.stimuli.import_material import begin

pytestmark = pytest.mark.django_db


def test_bytes_are_counted_by_collection_and_by_person_and_the_page_shows_both() -> None:
    owner, admin = make_user(), make_user(User.Role.ADMIN)
    large, small = make_collection(owner, items=3, conditions=2), make_collection(owner, items=1, conditions=1)
    small.title = "A small one"
    small.save()
    total = {
        each.pk: sum(one.byte_count for one in Recording.objects.filter(stimuli__item__collection=each).distinct())
        for each in (large, small)
    }
    assert [(row.collection, row.bytes) for row in storage_use.by_collection()] == [
        (large, total[large.pk]),
        (small, total[small.pk]),
    ]
    [first, second] = storage_use.by_person()
    assert (first.person, first.collections, first.bytes) == (owner, 2, imports.used_bytes(owner))
    assert (second.person, second.bytes) == (admin, 0)
    assert storage_use.disk().originals == sum(Recording.objects.values_list("byte_count", flat=True))
    page = browser_of(admin).get(reverse("stimuli:storage")).content.decode()
    assert page.index(large.title) < page.index(small.title)


def test_a_quota_of_ones_own_stands_instead_of_the_usual_one_until_it_is_taken_back() -> None:
    owner, admin = make_user(), make_user(User.Role.ADMIN)
    collection = make_collection(owner, items=1, conditions=1)
    browser, address = browser_of(admin), reverse("stimuli:set_quota", args=[owner.pk])
    browser.post(address, {"quota_gb": "0.001"})
    with raises_error("upload.quota", match="0.00 GB"):
        begin(collection, DeclaredFile("a.wav", 1_000_000))
    browser.post(address, {"quota_gb": ""})
    begin(collection, DeclaredFile("a.wav", 1_000_000))
    changes = AuditEntry.objects.filter(action="account.quota_changed").order_by("id").values_list("after", flat=True)
    assert list(changes) == [{"quota_gb": 0.001}, {"quota_gb": None}]


def test_an_upload_beyond_the_quota_is_refused_with_a_sentence_before_a_byte_is_sent() -> None:
    owner = make_user()
    collection = make_collection(owner, items=1, conditions=1)
    User.objects.filter(pk=owner.pk).update(quota_gb=0)
    answer = browser_of(owner).post(
        reverse("api:imports", args=[collection.slug]),
        {"files": [{"path": "a.wav", "byte_count": 2_000_000_000}]},
        "application/json",
    )
    assert answer.status_code == 413
    assert re.search(r"hold 2\.00 GB, and 0\.00 of your 0\.00 GB are free", unescape(answer.content.decode()))
    assert not collection.imports.exists()
