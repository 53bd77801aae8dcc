"""The chain over a ballot's votes: each link covers the vote and the head before it, the head is keyed.

The head is stored with the ballot and nowhere else. Without the key nobody can say what it was before the last vote,
so that votes cannot be removed from the end. It also covers the ballot's plan and its number of votes.
"""

import hashlib
from uuid import UUID

from core.hashing import valid_hmacs
from rating.models import Ballot, Vote


def link_of(vote: Vote, *, previous_head: str) -> str:
    return hashlib.sha256(f"{previous_head}{vote.event_id}{vote.seal}".encode()).hexdigest()


def head_message(ballot_id: UUID, plan_sha256: str, count: int, link: str) -> bytes:
    """What the head of a ballot with so many votes is the seal of; the link is empty where there is none."""
    return f"ballot {ballot_id} {plan_sha256} {count} {link}".encode()


def heads_of(ballot: Ballot, count: int, link: str) -> list[str]:
    """The head under each key that is or was in use."""
    return valid_hmacs(head_message(ballot.pk, ballot.plan_sha256, count, link))
