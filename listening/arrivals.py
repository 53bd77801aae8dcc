"""Who somebody says to be who comes by a link for many: a recruiting service's number, or this browser's own."""

import re
import secrets
from dataclasses import asdict, dataclass

from django.core import signing
from django.http import HttpRequest

from listening.models import Invitation

PROLIFIC = "prolific"
BROWSER = "browser"
SESSION_KEY = "person"
FIELD = "arrival"
# As Prolific adds them to a study's address when it is told to.
PROLIFIC_PARAMETERS = {"person": "PROLIFIC_PID", "study": "STUDY_ID", "submission": "SESSION_ID"}
IDENTIFIER = re.compile(r"[A-Za-z0-9_-]{1,64}")


@dataclass(frozen=True)
class Arrival:
    """One person as far as one experiment can tell; the same person again is led to the same seat."""

    service: str
    person: str
    study: str = ""
    submission: str = ""


def arrival_of(request: HttpRequest, invitation: Invitation) -> Arrival | None:
    """Read who comes: from the page that was consented on, from the address, or from this browser's session."""
    told = _from_form(request, invitation) or _from_address(request)
    if told is not None or not invitation.many:
        return told
    # Kept from the first opening on, so that a double click or a second tab is the same person.
    person = request.session.setdefault(SESSION_KEY, secrets.token_urlsafe(24))
    return Arrival(service=BROWSER, person=person)


def signed(arrival: Arrival | None, invitation: Invitation) -> str:
    """What the consent page carries along: nobody can change it on the way, or use it with another link."""
    if arrival is None or arrival.service == BROWSER:
        return ""
    return signing.dumps(asdict(arrival), salt=_salt(invitation))


def prolific_address(link: str) -> str:
    """The link as it is pasted into Prolific, which fills in the places."""
    places = "&".join(f"{name}={{{{%{name}%}}}}" for name in PROLIFIC_PARAMETERS.values())
    return f"{link}?{places}"


def _from_form(request: HttpRequest, invitation: Invitation) -> Arrival | None:
    try:
        return Arrival(**signing.loads(request.POST.get(FIELD, ""), salt=_salt(invitation)))
    except signing.BadSignature:
        return None


def _from_address(request: HttpRequest) -> Arrival | None:
    given = {name: request.GET.get(parameter, "") for name, parameter in PROLIFIC_PARAMETERS.items()}
    kept = {name: value for name, value in given.items() if IDENTIFIER.fullmatch(value)}
    return Arrival(service=PROLIFIC, **kept) if "person" in kept else None


def _salt(invitation: Invitation) -> str:
    return f"listening.arrival/{invitation.pk}"
