"""From the opaque, expiring key in a page's address to the stimulus behind it."""

from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.core.signing import BadSignature, Signer

from listening.errors import MediaExpired, MediaUnknown
from listening.models import Visit
from rating.models import Slot
from stimuli.models import Stimulus


def key_for(*, visit: Visit, media_id: UUID, now: datetime) -> str:
    """Name a sound for this visit and for a while, by the server's clock."""
    expires_at = int(now.timestamp()) + settings.MEDIA_URL_EXPIRES_S
    return _signer(visit).sign(f"{media_id.hex}.{expires_at}")


def stimulus_for(*, visit: Visit, key: str, now: datetime) -> Stimulus:
    try:
        media_id, _, expires_at = _signer(visit).unsign(key).partition(".")
    except BadSignature:
        raise MediaUnknown from None
    if now.timestamp() >= int(expires_at):
        raise MediaExpired
    slot = (
        Slot.objects.select_related("stimulus__recording")
        .filter(media=UUID(media_id), trial__ballot=visit.seat.ballot_id)
        .first()
    )
    if slot is None:
        raise MediaUnknown
    return slot.stimulus


def renewed(*, visit: Visit, key: str, now: datetime) -> str:
    """The same sound's key as of now; only whoever holds a valid one gets it."""
    media_id, _, _ = _signer(visit).unsign(key).partition(".")
    return key_for(visit=visit, media_id=UUID(media_id), now=now)


def _signer(visit: Visit) -> Signer:
    """A key of one visit means nothing in another."""
    return Signer(salt=f"listening.media/{visit.pk}", sep=".")
