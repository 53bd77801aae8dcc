"""Context of a vote: the planned trial, which never changes, and the ballot's state, read under its lock."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import OuterRef, Subquery

from core.prepared import PreparedRead
from rating.models import Ballot, Experiment, Slot, SoundFetch
from rating.protocols.base import Entry, RatingProtocol, TrialKind, TrialPlan
from rating.protocols.base import Slot as PlannedSlot
from rating.registry import get_protocol


@dataclass(frozen=True)
class Sound:
    """A sound of the page, by its name in the browser; `fetched_at` is when it was first fetched for this seat."""

    media: UUID
    duration_s: float
    fetched_at: datetime | None


@dataclass(frozen=True)
class TrialContext:
    """What was fixed before the first answer: the plan, the consent, the protocol and its label set."""

    plan: TrialPlan
    slot_ids: dict[str, int]
    consent_id: UUID | None
    protocol: RatingProtocol
    label_set: str
    live: bool
    sounds: tuple[Sound, ...]

    def unfetched(self) -> list[UUID]:
        """The sounds that must still be fetched before this page can be answered."""
        missing = [sound.media for sound in self.sounds if sound.fetched_at is None]
        if self.protocol.sounds_needed == "every":
            return missing
        return missing[:1] if self.protocol.sounds_needed == "some" and len(missing) == len(self.sounds) else []

    def answered_too_soon(self, now: datetime) -> bool:
        """Whether the sounds, which this protocol plays to their ends, last longer than they have been fetched."""
        fetched = [sound.fetched_at for sound in self.sounds if sound.fetched_at is not None]
        if not fetched or self.protocol.workspace:
            return False
        return (now - min(fetched)).total_seconds() < sum(sound.duration_s for sound in self.sounds)


@dataclass(frozen=True)
class BallotState:
    """What every vote changes; read under the ballot's lock."""

    revision: int
    answered: bool
    chain: str
    vote_count: int
    vote_bytes: int
    salt: str
    plan_sha256: str
    closed_at: datetime | None
    abandoned_at: datetime | None


_CONTEXT = PreparedRead(
    lambda trial, ballot: Slot.objects.filter(trial_id=trial, trial__ballot_id=ballot).values_list(
        *("trial__kind", "trial__session", "trial__ask", "trial__detail", "trial__ballot__consent__id"),
        *("trial__ballot__experiment__protocol", "trial__ballot__experiment__label_set"),
        *("trial__ballot__experiment__state", "id", "key", "stimulus_id", "stimulus__item__name"),
        *("stimulus__condition__name", "stimulus__condition__role", "stimulus__item__factors", "stimulus__text"),
        *("stimulus__recording__length_samples", "stimulus__recording__sample_rate_hz", "media"),
        Subquery(SoundFetch.objects.filter(slot=OuterRef("pk")).order_by("first_at").values("first_at")[:1]),
    ),
    trial=UUID(int=1),
    ballot=UUID(int=2),
)
# Both rows are locked, because of a joined row that it did not lock PostgreSQL returns what it was before the wait; and
# the ballot first, as everywhere, which the order of FROM decides: otherwise two could wait for each other.
_STATE = PreparedRead(
    lambda trial, ballot: (
        Ballot.objects.select_for_update()
        .filter(pk=ballot, trials__id=trial)
        .values_list(
            *("trials__revision", "trials__answered", "chain", "vote_count", "vote_bytes", "salt", "plan_sha256"),
            *("closed_at", "abandoned_at"),
        )
    ),
    trial=UUID(int=1),
    ballot=UUID(int=2),
)


def trial_context(*, trial_id: UUID, ballot_id: UUID) -> TrialContext | None:
    """Read a trial of this ballot; it never changes, so no lock is needed."""
    rows = _CONTEXT.rows(trial=trial_id, ballot=ballot_id)
    if not rows:
        return None
    kind, session, ask, detail, consent_id, slug, label_set, state, *_ = rows[0]
    slots = [row[8:] for row in rows]
    return TrialContext(
        plan=TrialPlan(
            slots=tuple(
                PlannedSlot(
                    key, Entry(str(stimulus), item, condition, role, factors, text, samples / rate if rate else 0)
                )
                for _, key, stimulus, item, condition, role, factors, text, samples, rate, *_ in slots
            ),
            ask=tuple(ask),
            kind=TrialKind(kind),
            session=session,
            detail=detail,
        ),
        slot_ids={key: slot_id for slot_id, key, *_ in slots},
        consent_id=consent_id,
        protocol=get_protocol(slug),
        label_set=label_set,
        live=state == Experiment.State.LIVE,
        sounds=tuple(Sound(media, samples / rate, at) for *_, samples, rate, media, at in slots if rate),
    )


def lock_ballot_state(*, trial_id: UUID, ballot_id: UUID) -> BallotState | None:
    """Lock the ballot against other votes until the transaction ends, and read its state."""
    rows = _STATE.rows(trial=trial_id, ballot=ballot_id)
    return BallotState(*rows[0]) if rows else None
