"""The only ways a view obtains an invitation or a visit."""

import hashlib
from uuid import UUID

from django.http import HttpRequest

from listening.errors import InvitationUnknown, VisitUnknown
from listening.models import Invitation, Visit

SESSION_KEY = "visits"


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
        raise InvitationUnknown
    return invitation


def admit(request: HttpRequest, visit: Visit) -> None:
    """Let this browser act in the visit, under a fresh session key."""
    held = request.session.get(SESSION_KEY, [])
    request.session.cycle_key()
    request.session[SESSION_KEY] = [*held[-9:], str(visit.id)]


def visit_for(request: HttpRequest, visit_id: UUID) -> Visit:
    if str(visit_id) not in request.session.get(SESSION_KEY, []):
        raise VisitUnknown
    visit = Visit.objects.select_related("seat__ballot__experiment", "seat__panel").filter(pk=visit_id).first()
    if visit is None:
        raise VisitUnknown
    return visit
