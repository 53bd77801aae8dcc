"""E-mail to participants: invitations and reminders, one message per person, sent by a background job.

The secret of a link that is sent by mail is derived from the site's secret key, which is not in the database. So a run
that was cut short sends the same link, and so does a reminder; the database holds its digest only.
"""

import base64
import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.mail import EmailMessage, get_connection
from django.core.validators import validate_email
from django.db import transaction
from django.db.models import Count, Q
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_noop as _

from core.errors import AppError
from core.jobs import JobRun, enqueue, job
from core.mail import send_message, sends_mail
from core.models import User
from core.services import audit
from listening.durations import minutes_text
from listening.models import Invitation, InvitationQuerySet, Mailing, Message, Panel
from listening.panels.services.durations import planned_minutes
from listening.panels.services.links import links_of
from listening.panels.services.panels import LINK_DAYS, check_seats_ready, link
from listening.panels.services.session_settings import session_settings_of
from listening.participation.access import token_digest
from rating.models import Experiment

PLACES = ("link", "title", "minutes")
PLACE = re.compile(r"\{(\w+)\}")
UNOPENED, UNFINISHED = "unopened", "unfinished"
VALID = tuple(state for state in Invitation.State if state not in (Invitation.State.EXPIRED, Invitation.State.REVOKED))
REMINDED = {
    UNOPENED: (Invitation.State.MADE,),
    UNFINISHED: (Invitation.State.MADE, Invitation.State.OPENED, Invitation.State.RUNNING),
}


@transaction.atomic
def send_invitations(
    *, panel: Panel, recipients: Sequence[tuple[str, str]], subject: str, text: str, now: datetime, actor: User
) -> Mailing:
    """Make one link for each label and address, and have them sent."""
    _check_sendable()
    check_seats_ready(panel)
    valid = links_of(experiment=panel.experiment, now=now).in_state(*VALID)
    # Two addresses that differ by case alone are one person's in practice, and nobody is invited twice.
    taken = {address.lower() for address in valid.exclude(address="").values_list("address", flat=True)}
    if known := sorted(address for _label, address in recipients if address.lower() in taken):
        raise AppError(
            "invitation.mail_known",
            409,
            _("{addresses} have a link already. Take them out of the list, and send them a reminder instead."),
            addresses=", ".join(known),
        )
    made = []
    for label, address in recipients:
        pk = uuid4()
        digest, expires_at = token_digest(mail_token(pk)), now + timedelta(days=LINK_DAYS)
        made.append(
            Invitation(pk=pk, panel=panel, token_sha256=digest, expires_at=expires_at, label=label, address=address)
        )
    Invitation.objects.bulk_create(made)
    return _ask_for_mailing(panel.experiment, made, subject=subject, text=text, actor=actor, action="panel.mailed")


@transaction.atomic
def remind(*, experiment: Experiment, whom: str, subject: str, text: str, now: datetime, actor: User) -> Mailing:
    """Send a message with the same links to those who have not opened theirs, or not finished."""
    _check_sendable()
    found = list(to_remind(experiment=experiment, whom=whom, now=now))
    if not found:
        raise nobody_to_remind()
    return _ask_for_mailing(experiment, found, subject=subject, text=text, actor=actor, action="experiment.reminded")


def nobody_to_remind() -> AppError:
    return AppError("invitation.mail_nobody", 409, _("There is nobody to remind."))


def to_remind(*, experiment: Experiment, whom: str, now: datetime) -> InvitationQuerySet:
    return links_of(experiment=experiment, now=now).exclude(address="").in_state(*REMINDED[whom])


@transaction.atomic
def forget_addresses_of(*, experiment: Experiment, actor: User) -> int:
    """Delete all e-mail addresses of an experiment; links and labels stay, and nobody can be reminded any more."""
    forgotten = Invitation.objects.filter(panel__experiment=experiment).exclude(address="").update(address="")
    if forgotten:
        target = f"experiment/{experiment.slug}"
        audit.record(actor=actor, action="experiment.addresses_deleted", target=target, before={"count": forgotten})
    return forgotten


def mail_token(invitation_id: UUID, key: str = "") -> str:
    """The secret of a link that is sent by mail."""
    derived = salted_hmac("listening.mailed_link", str(invitation_id), secret=key or None, algorithm="sha256").digest()
    return base64.urlsafe_b64encode(derived[:24]).decode()


def filled(text: str, *, places: Mapping[str, str]) -> str:
    """The text with its places filled in; nothing else in it is touched."""
    return PLACE.sub(lambda found: places.get(found[1], found[0]), text)


def places_of(panel: Panel, *, address: str) -> dict[str, str]:
    """What stands for the places in a message about this panel."""
    experiment = panel.experiment
    minutes = session_settings_of(experiment).stated_minutes or planned_minutes(experiment).get(panel.group)
    return {"link": address, "title": experiment.title, "minutes": minutes_text(minutes) if minutes else ""}


def newest_mailing(experiment: Experiment) -> dict[str, Any] | None:
    """How far the newest mailing is."""
    counts = {
        "total": Count("messages"),
        "sent": Count("messages", filter=Q(messages__sent_at__isnull=False)),
        "refused": Count("messages", filter=~Q(messages__error="")),
    }
    newest: dict[str, Any] | None = experiment.mailings.annotate(**counts).values("pk", "created_at", *counts).first()
    return newest


@job(queue="interactive", title=_("Sending e-mail"))
def send_mailing(*, run: JobRun, mailing_id: str) -> None:
    """Send what was not sent yet. A server that does not answer ends the run, which is tried again later."""
    mailing = Mailing.objects.select_related("experiment").get(pk=mailing_id)
    waiting = list(
        mailing.messages.filter(sent_at__isnull=True, error="")
        .select_related("invitation__panel__experiment")
        .order_by("invitation__address")
    )
    total = mailing.messages.count()
    with get_connection() as connection:
        for nth, message in enumerate(waiting, start=total - len(waiting)):
            run.progress(nth, total)
            error = _send(mailing, message.invitation, connection)
            with run.fenced():
                done = {"error": error} if error else {"sent_at": timezone.now()}
                Message.objects.filter(pk=message.pk).update(**done)
    run.progress(total, total)


def _send(mailing: Mailing, invitation: Invitation, connection: Any) -> str:
    """Send one message; what the mail server says where it refuses this person for good."""
    if not invitation.address or invitation.revoked_at is not None:
        return "no address, or the link was revoked"
    places = places_of(invitation.panel, address=link(_token_of(invitation)))
    message = EmailMessage(
        subject=" ".join(filled(mailing.subject, places=places).split()),  # one line: a header
        body=filled(mailing.text, places=places),
        to=[invitation.address],
        reply_to=_reply_to(mailing.experiment),
        connection=connection,
    )
    return send_message(message)


def _token_of(invitation: Invitation) -> str:
    """The link's secret; where the site's key was replaced for good, a new one takes its place."""
    tokens = [mail_token(invitation.pk, key) for key in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)]
    for token in tokens:
        if token_digest(token) == invitation.token_sha256:
            return token
    Invitation.objects.filter(pk=invitation.pk).update(token_sha256=token_digest(tokens[0]))
    return tokens[0]


def _ask_for_mailing(
    experiment: Experiment, invitations: Sequence[Invitation], *, subject: str, text: str, actor: User, action: str
) -> Mailing:
    mailing = Mailing.objects.create(experiment=experiment, subject=subject, text=text)
    Message.objects.bulk_create(Message(mailing=mailing, invitation=each) for each in invitations)
    audit.record(
        actor=actor, action=action, target=f"experiment/{experiment.slug}", after={"messages": len(invitations)}
    )
    enqueue(send_mailing, key=f"{send_mailing.name}:{mailing.pk}", requested_by=actor, mailing_id=str(mailing.pk))
    return mailing


def _check_sendable() -> None:
    if settings.PRODUCTION and not sends_mail():
        raise AppError(
            "invitation.mail_off",
            409,
            _("This server sends no e-mail. Ask an admin to set EARMARK_EMAIL_URL, or use the CSV of new links."),
        )


def _reply_to(experiment: Experiment) -> list[str]:
    """The experiment's contact, where it is an e-mail address."""
    try:
        validate_email(experiment.contact)
    except ValidationError:
        return []
    return [experiment.contact]
