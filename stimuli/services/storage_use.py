"""Use of storage: bytes by collection and by person, counted as for the quota, and the space on the disk."""

import shutil
from collections import defaultdict
from dataclasses import dataclass
from uuid import UUID

from django.conf import settings
from django.db.models import Sum

from core.models import User
from stimuli.models import Collection, Recording, Stimulus
from stimuli.services.imports import GB, quota_bytes, used_bytes


@dataclass(frozen=True)
class CollectionUse:
    collection: Collection
    bytes: int


@dataclass(frozen=True)
class PersonUse:
    person: User
    collections: int
    bytes: int  # of own collections, and of files that are being uploaded
    quota: int

    @property
    def quota_gb(self) -> float:
        return self.quota / GB

    @property
    def is_nearly_full(self) -> bool:
        return self.bytes >= 0.9 * self.quota


@dataclass(frozen=True)
class Disk:
    """The disk of the data folder; where sound lies in a bucket, only what is being uploaded and computed is on it."""

    total: int
    free: int
    bucket: str
    originals: int  # bytes of all recordings as they came, each counted once


def disk() -> Disk:
    usage = shutil.disk_usage(settings.DATA_DIR)
    originals = Recording.objects.aggregate(total=Sum("byte_count"))["total"] or 0
    return Disk(total=usage.total, free=usage.free, bucket=settings.S3_BUCKET, originals=int(originals))


def by_collection() -> list[CollectionUse]:
    """The largest first; a recording that stands in several cells of a collection is counted once."""
    heard = Stimulus.objects.filter(recording__isnull=False).order_by()
    used: dict[UUID, int] = defaultdict(int)
    for collection, _recording, size in (
        heard.values_list("item__collection", "recording", "recording__byte_count").distinct().iterator()
    ):
        used[collection] += size
    rows = [CollectionUse(each, used[each.pk]) for each in Collection.objects.select_related("owner")]
    return sorted(rows, key=lambda row: (-row.bytes, row.collection.title))


def by_person() -> list[PersonUse]:
    """Everybody who has a collection, an upload or a quota of their own, the largest first."""
    rows = [
        PersonUse(each, each.collections.count(), used_bytes(each), quota_bytes(each)) for each in User.objects.all()
    ]
    shown = [row for row in rows if row.bytes or row.collections or row.person.is_active]
    return sorted(shown, key=lambda row: (-row.bytes, row.person.username))
