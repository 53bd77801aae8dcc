"""Access to invitations and visits: the only ways a view obtains one, and what is kept of a browser."""

import hashlib
import re
from uuid import UUID

from django.db import connection
from django.http import HttpRequest
from django.utils.translation import gettext_noop as _

from core import sql
from core.errors import AppError
from listening.models import Invitation, Seat, Visit

SESSION_KEY = "visits"
_VOTING_VISIT = """
SELECT visit.id, visit.seat_id, visit.last_seen_at, seat.ballot_id, seat.leased_until
FROM listening_visit visit JOIN listening_seat seat ON seat.id = visit.seat_id WHERE visit.id = %(visit)s
"""


def token_digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def invitation_for(token: str) -> Invitation:
    """Find the invitation behind a link's secret; looking up a digest gives timing nothing to tell."""
    invitation = (
        Invitation.objects.select_related("panel__experiment", "seat__ballot")
        .filter(token_sha256=token_digest(token))
        .first()
    )
    if invitation is None:
        raise AppError(
            "invitation.unknown",
            404,
            _("This link is not known here. Check that it was copied whole, or ask for a new one."),
        )
    check_not_revoked(invitation)
    return invitation


def check_not_revoked(invitation: Invitation) -> None:
    if invitation.revoked_at is not None:
        raise AppError(
            "invitation.revoked",
            410,
            _("This link no longer works: the experimenter has withdrawn it. Ask for a new one."),
        )


def visits_held(request: HttpRequest) -> list[str]:
    """The visits that this browser may act in, as far as it remembers."""
    held: list[str] = request.session.get(SESSION_KEY, [])
    return held


def admit(request: HttpRequest, visit: Visit) -> None:
    """Allow this browser to act in the visit, under a fresh session key."""
    others = [each for each in visits_held(request) if each != str(visit.id)]
    request.session.cycle_key()
    request.session[SESSION_KEY] = [*others[-9:], str(visit.id)]


def _visit_unknown() -> AppError:
    return AppError(
        "visit.unknown",
        401,
        _("This browser no longer holds your place. Open your link again: everything you did is kept."),
    )


def seat_abandoned() -> AppError:
    return AppError(
        "visit.abandoned",
        410,
        _("Your place was given to another person. Everything you did is kept. Thank you for taking part."),
    )


def visit_for(request: HttpRequest, visit_id: UUID) -> Visit:
    _check_held(request, visit_id)
    visit = Visit.objects.select_related("seat__ballot__experiment", "seat__panel").filter(pk=visit_id).first()
    if visit is None:
        raise _visit_unknown()
    return visit


def voting_visit_for(request: HttpRequest, visit_id: UUID) -> Visit:
    """The visit with only the columns that a vote needs; others are loaded on access."""
    _check_held(request, visit_id)
    rows = sql.fetch(
        _VOTING_VISIT,
        visit=visit_id,
        uuids=("id", "seat_id", "ballot_id"),
        times=("last_seen_at", "leased_until"),
    )
    if not rows:
        raise _visit_unknown()
    row = rows[0]
    own = ("id", "seat_id", "last_seen_at")
    visit = Visit.from_db(connection.alias, own, [row[name] for name in own])
    theirs = ("id", "ballot_id", "leased_until")
    visit.seat = Seat.from_db(connection.alias, theirs, [row["seat_id"], row["ballot_id"], row["leased_until"]])
    return visit


def _check_held(request: HttpRequest, visit_id: UUID) -> None:
    if str(visit_id) not in visits_held(request):
        raise _visit_unknown()


# --- The device of a visit --------------------------------------------------------------------------------------------


FAMILIES = (
    ("Edge", r"Edg(?:e|A|iOS)?/(\d+)"),
    ("Firefox", r"(?:Firefox|FxiOS)/(\d+)"),
    ("Chrome", r"(?:Chrome|CriOS)/(\d+)"),
    ("Safari", r"Version/(\d+).*Safari"),
)


def describe_device(user_agent: str) -> dict[str, str]:
    found = ((name, re.search(pattern, user_agent)) for name, pattern in FAMILIES)
    browser = next((f"{name} {match[1]}" for name, match in found if match), "other")
    if re.search(r"iPad|Tablet", user_agent):
        kind = "tablet"
    elif re.search(r"Mobi|Android|iPhone", user_agent):
        kind = "phone"
    else:
        kind = "desktop"
    return {"browser": browser, "device_class": kind}
