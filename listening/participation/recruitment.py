"""Recruitment: people who come by a link for many, known by a recruiting service's id or by their browser, as HMACs.

A service's id is a name and no secret: it finds a seat, and does not open it. The browser in which the consent was
given goes on by itself; another one needs the resume code that was shown there.
"""

import ipaddress
import re
import secrets
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from uuid import UUID

from allauth.account.adapter import get_adapter
from django.conf import settings
from django.core import signing
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.utils.crypto import constant_time_compare, salted_hmac

from listening.models import Invitation, Recruitment

BROWSER = "browser"
SESSION_KEY = "person"
FIELD = "arrival"
# The URL parameter in which a service sends the person's id.
PARAMETERS = {Invitation.Service.PROLIFIC.value: "PROLIFIC_PID"}
IDENTIFIER = re.compile(r"[A-Za-z0-9_-]{1,64}")
CODE_ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"  # no 0/O and no 1/I: codes are read aloud and typed
RESUME_LETTERS = 12  # of 5 bits each, too many to guess
IPV6_NETWORK = 64  # prefix length of the network that one home or machine is given


@dataclass(frozen=True)
class Arrival:
    """One person as far as one experiment can tell, and the secret of the browser in which they came."""

    service: str
    person: str
    browser: str


def arrival_of(request: HttpRequest, invitation: Invitation) -> Arrival | None:
    """Read who comes by a link for many: from the page that was consented on, the address, or the browser's session.

    A personal link is a secret of one person, so nothing else is asked or believed there.
    """
    if not invitation.many:
        return None
    # The page carries it too: a second press of the button may be sent under a session that the first has replaced.
    if told := _from_form(request, invitation):
        request.session[SESSION_KEY] = told.browser
        return told
    # Kept from the first opening on, so that a double click or a second tab is the same person.
    browser = request.session.setdefault(SESSION_KEY, secrets.token_urlsafe(24))
    person = request.GET.get(PARAMETERS.get(invitation.service, ""), "")
    if IDENTIFIER.fullmatch(person):
        return Arrival(service=invitation.service, person=person, browser=browser)
    return Arrival(service=BROWSER, person=browser, browser=browser)


def signed(arrival: Arrival | None, invitation: Invitation) -> str:
    """Signed form field of the consent page; it is valid for this link only."""
    return "" if arrival is None else signing.dumps(asdict(arrival), salt=_salt(invitation))


def service_address(link: str, service: str) -> str:
    """The link as it is pasted into the service, which fills in the place."""
    name = PARAMETERS[service]
    return f"{link}?{name}={{{{%{name}%}}}}"


def digests(experiment_id: UUID, kind: str, value: str) -> list[str]:
    """HMACs of a value under the server's keys, the present one first; valid in one experiment only."""
    return [_hmac(f"listening.{kind}/{experiment_id}", value, key).hex() for key in _keys()]


def resume_code(recruitment: Recruitment) -> str:
    """The secret by which another browser may go on: shown in the one that consented, and kept nowhere."""
    return next(_codes(recruitment.pk))


def is_resume_code(recruitment_id: UUID, typed: str) -> bool:
    letters = "".join(letter for letter in typed[:100].upper() if letter in CODE_ALPHABET)
    return any(constant_time_compare(code.replace("-", ""), letters) for code in _codes(recruitment_id))


def network_address(request: HttpRequest) -> str:
    """Where the request comes from, as sign-in limits count it; in IPv6 the network, of which one machine has all."""
    try:
        address = ipaddress.ip_address(get_adapter().get_client_ip(request))
    except PermissionDenied:  # the address is unknown
        return ""
    if isinstance(address, ipaddress.IPv6Address):
        return str(address.ipv4_mapped or ipaddress.ip_network((address, IPV6_NETWORK), strict=False))
    return str(address)


def _codes(recruitment_id: UUID) -> Iterator[str]:
    for key in _keys():
        drawn = _hmac("listening.resume", str(recruitment_id), key)[:RESUME_LETTERS]
        letters = "".join(CODE_ALPHABET[byte % len(CODE_ALPHABET)] for byte in drawn)
        yield "-".join(letters[start : start + 4] for start in range(0, RESUME_LETTERS, 4))


def _keys() -> list[str]:
    return [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]


def _hmac(salt: str, value: str, key: str) -> bytes:
    return salted_hmac(salt, value, secret=key, algorithm="sha256").digest()


def _from_form(request: HttpRequest, invitation: Invitation) -> Arrival | None:
    try:
        return Arrival(**signing.loads(request.POST.get(FIELD, ""), salt=_salt(invitation)))
    except signing.BadSignature:
        return None


def _salt(invitation: Invitation) -> str:
    return f"listening.arrival/{invitation.pk}"
