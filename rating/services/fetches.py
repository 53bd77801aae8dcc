"""Fetched sounds: which sounds of a ballot were given to a browser, and when, so that no answer comes without one."""

from datetime import datetime, timedelta
from uuid import UUID

from rating.models import SoundFetch

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

