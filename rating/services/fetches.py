"""Fetched sounds: which sounds of a ballot were given to a browser, and when, so that no answer comes without one."""

from datetime import datetime, timedelta
from uuid import UUID

from rating.models import Slot, SoundFetch

WRITTEN_EVERY = timedelta(minutes=1)  # a long sound is fetched in hundreds of slices, which are one line here


def record_fetch(*, slot_id: int, visit_id: UUID, now: datetime) -> None:
    """Note that a visit was given a sound. Costs a read each time, and a write at most once a minute."""
    known = SoundFetch.objects.filter(slot=slot_id, visit=visit_id).values_list("last_at", flat=True).first()
    if known is not None and known > now - WRITTEN_EVERY:
        return
    SoundFetch.objects.bulk_create(
        [SoundFetch(slot_id=slot_id, visit=visit_id, first_at=now, last_at=now)],
        update_conflicts=True,
        unique_fields=["slot", "visit"],
        update_fields=["last_at"],
    )


def record_all(*, ballot_id: UUID, visit_id: UUID, now: datetime) -> None:
    """Take every sound of a ballot as fetched, for programs inside this server that answer without listening."""
    slots = Slot.objects.filter(trial__ballot=ballot_id).order_by("pk").values_list("pk", flat=True)
    fetches = (SoundFetch(slot_id=slot, visit=visit_id, first_at=now, last_at=now) for slot in slots)
    SoundFetch.objects.bulk_create(fetches, batch_size=2000, ignore_conflicts=True)
