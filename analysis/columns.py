"""Meanings of the columns in the download of single marks: the dictionary that goes along with the data."""

from rating.protocol import Protocol

MEANINGS = {
    "row_id": "The mark's number; it never changes and is never used again.",
    "experiment": "The experiment's short name.",
    "design_sha256": "The hash over everything that shapes an answer, fixed when the experiment went live.",
    "subject_id": "The participant's pseudonym in this experiment, such as sub-0007; erased-... after erasure.",
    "panel": "The number of the panel.",
    "session": "The session of the plan; 0 is practice.",
    "position": "The trial's place in the ballot, from 1.",
    "trial_id": "The trial; marks of one page share it.",
    "kind": "practice or test.",
    "item": "The item's name.",
    "factors": "The item's factors, as a JSON object.",
    "condition": "The condition: a letter until the experiment is unblinded, then its name.",
    "condition_role": "test, reference, anchor or full-length; empty until the experiment is unblinded.",
    "scale": "The scale, in capitals.",
    "value": "The mark.",
    "label_set": "The wording that was shown.",
    "protocol": "The protocol's slug.",
    "protocol_version": "Its version when the vote was cast.",
    "revision": "How often the trial had been answered, this answer included.",
    "n_plays": "How often the clip was played, as the browser says.",
    "heard_ms": "How many milliseconds of it were played.",
    "heard_full": "Whether it was played to its end.",
    "level_db": "The level that the participant had set before, in dB above or below the middle.",
    "client_wall": "The time of the answer by the participant's clock: data, not order.",
    "received_at": "When the server stored the vote.",
    "row_type": "main or simulated.",
    "flags": "What to know about the vote. late: it came after the experiment was paused or closed; fast: it came "
    "sooner after its sound was first fetched than the sound lasts.",
}


def meanings_for(protocol: Protocol) -> dict[str, str]:
    """The meanings of all columns, with the protocol's own after the kind of the trial."""
    own = {column.key: column.help for column in protocol.trial_columns}
    at = list(MEANINGS).index("kind") + 1
    return dict([*list(MEANINGS.items())[:at], *own.items(), *list(MEANINGS.items())[at:]])
