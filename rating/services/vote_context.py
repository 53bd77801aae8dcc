"""Context of a vote: the page as it was planned, and its state at this moment."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from core import sql
from rating.models import Experiment
from rating.protocol import Entry, Protocol, TrialKind, TrialPlan
from rating.protocol import Slot as PlannedSlot
from rating.registry import get_protocol


@dataclass(frozen=True)
class Sound:
    """A sound of the page, by its name in the browser; `fetched_at` is when it was first fetched for this seat."""

    media: UUID
    duration_s: float
    fetched_at: datetime | None


@dataclass(frozen=True)
class TrialContext:
    """What stood fast before anybody answered: the plan, the consent, and the words in which it is asked."""

    plan: TrialPlan
    slot_ids: dict[str, int]
    consent_id: UUID | None
    protocol: Protocol
    label_set: str
    live: bool
    sounds: tuple[Sound, ...]

    def unfetched(self) -> list[UUID]:
        """The sounds that must still be fetched before this page can be answered."""
        missing = [sound.media for sound in self.sounds if sound.fetched_at is None]
        if self.protocol.access.sounds_needed == "every":
            return missing
        return missing[:1] if self.protocol.access.sounds_needed == "some" and len(missing) == len(self.sounds) else []

    def answered_too_soon(self, now: datetime) -> bool:
        """Whether the sounds, which this protocol plays to their ends, last longer than they have been fetched."""
        fetched = [sound.fetched_at for sound in self.sounds if sound.fetched_at is not None]
        if not fetched or self.protocol.access.workspace:
            return False
        return (now - min(fetched)).total_seconds() < sum(sound.duration_s for sound in self.sounds)


@dataclass(frozen=True)
class BallotState:
    """What every vote moves on; read under the ballot's lock."""

    revision: int
    answered: bool
    chain: str
    vote_count: int
    vote_bytes: int
    salt: str
    plan_sha256: str
    closed_at: datetime | None
    abandoned_at: datetime | None


_PAGE = """
SELECT trial.kind, trial.session, trial.ask, trial.detail, consent.id AS consent_id,
    experiment.protocol, experiment.label_set, experiment.state,
    slot.id AS slot_id, slot.key, slot.stimulus_id, slot.media,
    item.name AS item, item.factors, condition.name AS condition, condition.role, stimulus.text,
    recording.length_samples, recording.sample_rate_hz,
    (SELECT MIN(first_at) FROM rating_soundfetch WHERE slot_id = slot.id) AS fetched_at
FROM rating_slot slot
JOIN rating_trial trial ON trial.id = slot.trial_id
JOIN rating_ballot ballot ON ballot.id = trial.ballot_id
JOIN rating_experiment experiment ON experiment.id = ballot.experiment_id
LEFT JOIN rating_consent consent ON consent.ballot_id = ballot.id
JOIN stimuli_stimulus stimulus ON stimulus.id = slot.stimulus_id
JOIN stimuli_item item ON item.id = stimulus.item_id
JOIN stimuli_condition condition ON condition.id = stimulus.condition_id
LEFT JOIN stimuli_recording recording ON recording.id = stimulus.recording_id
WHERE slot.trial_id = %(trial)s AND trial.ballot_id = %(ballot)s
ORDER BY slot.key
"""
# Both rows are locked, because of a joined row that it did not lock PostgreSQL returns what it was before the wait; and
# the ballot first, as everywhere, which the order of FROM decides: otherwise two could wait for each other.
_STANDING = """
SELECT trial.revision, trial.answered, ballot.chain, ballot.vote_count, ballot.vote_bytes, ballot.salt,
    ballot.plan_sha256, ballot.closed_at, ballot.abandoned_at
FROM rating_ballot ballot JOIN rating_trial trial ON trial.ballot_id = ballot.id
WHERE ballot.id = %(ballot)s AND trial.id = %(trial)s
"""


def trial_context(*, trial_id: UUID, ballot_id: UUID) -> TrialContext | None:
    """Read a page of this ballot; it never changes, so no lock is needed."""
    rows = sql.fetch(
        _PAGE,
        trial=trial_id,
        ballot=ballot_id,
        uuids=("consent_id", "stimulus_id", "media"),
        jsons=("ask", "detail", "factors", "text"),
        times=("fetched_at",),
    )
    if not rows:
        return None
    page = rows[0]
    return TrialContext(
        plan=TrialPlan(
            slots=tuple(PlannedSlot(row["key"], _entry(row)) for row in rows),
            ask=tuple(page["ask"]),
            kind=TrialKind(page["kind"]),
            session=page["session"],
            detail=page["detail"],
        ),
        slot_ids={row["key"]: row["slot_id"] for row in rows},
        consent_id=page["consent_id"],
        protocol=get_protocol(page["protocol"]),
        label_set=page["label_set"],
        live=page["state"] == Experiment.State.LIVE,
        sounds=tuple(Sound(row["media"], _duration_s(row), row["fetched_at"]) for row in rows if row["sample_rate_hz"]),
    )


def _entry(row: dict[str, Any]) -> Entry:
    return Entry(
        stimulus=str(row["stimulus_id"]),
        item=row["item"],
        condition=row["condition"],
        role=row["role"],
        factors=row["factors"],
        text=row["text"],
        duration_s=_duration_s(row),
    )


def _duration_s(row: dict[str, Any]) -> float:
    return row["length_samples"] / row["sample_rate_hz"] if row["sample_rate_hz"] else 0.0


def lock_ballot_state(*, trial_id: UUID, ballot_id: UUID) -> BallotState | None:
    """Let no other vote on this ballot in until the transaction ends."""
    rows = sql.fetch(
        _STANDING + sql.for_update("ballot", "trial"),
        trial=trial_id,
        ballot=ballot_id,
        bools=("answered",),
        times=("closed_at", "abandoned_at"),
    )
    return BallotState(**rows[0]) if rows else None
