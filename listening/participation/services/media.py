"""Media keys: opaque, expiring names of a visit's sounds, and the stimuli behind them."""

from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.core.signing import BadSignature, Signer
from django.urls import reverse
from django.utils.translation import gettext_noop as _

from core.errors import AppError
from listening.models import Visit
from rating.models import Slot
from rating.registry import get_protocol
from rating.services.pages import record_fetch
from stimuli.models import Stimulus


def key_for(*, visit: Visit, media_id: UUID, now: datetime) -> str:
    """Name a sound for this visit and for a while, by the server's clock.

    The end of that while is a round time, so that a page that is loaded again finds what its browser has kept.
    """
    expires_at = int(now.timestamp()) + settings.MEDIA_URL_EXPIRES_S
    if step_s := settings.MEDIA_URL_EXPIRES_S // 3:
        expires_at += -expires_at % step_s
    return _signer(visit).sign(f"{media_id.hex}.{expires_at}")


def stimulus_for(*, visit: Visit, key: str, now: datetime) -> Stimulus:
    return slot_for(visit=visit, key=key, now=now).stimulus


def fetched_stimulus(*, visit: Visit, key: str, now: datetime, manifest_only: bool = False) -> Stimulus:
    """The same stimulus, recorded as fetched; its bytes may be sent by another server.

    A manifest counts where nothing more is fetched to begin with: of a sound in slices, or on a page to work on.
    """
    slot = slot_for(visit=visit, key=key, now=now)
    protocol = get_protocol(visit.seat.ballot.experiment.protocol)
    if not manifest_only or protocol.access.sounds_needed != "every" or not slot.stimulus.served:
        record_fetch(slot_id=slot.pk, visit_id=visit.pk, now=now)
    return slot.stimulus


def addresses_to_fetch(*, visit: Visit, media: Iterable[UUID], now: datetime) -> list[str]:
    """Where a browser finds the sounds that it must fetch before it sends an answer again."""
    served = dict(Slot.objects.filter(media__in=media).values_list("media", "stimulus__served"))
    names = {one: "api:media" if served.get(one) else "api:media_manifest" for one in media}
    return [reverse(name, args=[visit.pk, key_for(visit=visit, media_id=one, now=now)]) for one, name in names.items()]


def _media_unknown() -> AppError:
    return AppError(
        "media.unknown", 404, _("There is no such sound in this visit. Reload the page to continue where you are.")
    )


def slot_for(*, visit: Visit, key: str, now: datetime) -> Slot:
    try:
        media_id, _dot, expires_at = _signer(visit).unsign(key).partition(".")
    except BadSignature:
        raise _media_unknown() from None
    if now.timestamp() >= int(expires_at):
        raise AppError(
            "media.expired",
            410,
            _("This sound's address has expired. The page asks for a fresh one; reload it if it does not."),
        )
    slot = (
        Slot.objects.select_related("stimulus__recording")
        .filter(media=UUID(media_id), trial__ballot=visit.seat.ballot_id)
        .first()
    )
    if slot is None:
        raise _media_unknown()
    if get_protocol(visit.seat.ballot.experiment.protocol).access.one_at_a_time and slot.trial_id != _open_page(visit):
        raise AppError(
            "media.page_closed",
            410,
            _("This sound belongs to a page that is not open now. Go on with the page that is."),
        )
    return slot


def _open_page(visit: Visit) -> UUID | None:
    """The page that is worked on now, where one recording must not be mistaken for another."""
    return visit.seat.ballot.trials.unanswered().values_list("pk", flat=True).first()


def renewed(*, visit: Visit, key: str, now: datetime) -> str:
    """A fresh key of the same sound, in exchange for a valid one."""
    media_id, _, _ = _signer(visit).unsign(key).partition(".")
    return key_for(visit=visit, media_id=UUID(media_id), now=now)


def _signer(visit: Visit) -> Signer:
    """A key of one visit means nothing in another."""
    return Signer(salt=f"listening.media/{visit.pk}", sep=".")
