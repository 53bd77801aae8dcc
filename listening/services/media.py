"""From the opaque id in a page to the recording behind it."""

from uuid import UUID

from listening.errors import MediaUnknown
from listening.models import Visit
from rating.models import Slot
from stimuli.models import Recording


def recording_for(*, visit: Visit, media_id: UUID) -> Recording:
    slot = (
        Slot.objects.select_related("stimulus__recording")
        .filter(media=media_id, trial__ballot=visit.seat.ballot_id)
        .first()
    )
    if slot is None:
        raise MediaUnknown
    return slot.stimulus.recording
