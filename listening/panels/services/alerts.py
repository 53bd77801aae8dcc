"""E-mail alerts of the monitor: what needs attention in a live experiment, told once to each person who asked for it.

A message has counts and the address of the monitor: no pseudonym, no label of a link, no condition.
"""

from contextlib import nullcontext
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models import Max
from django.urls import reverse
from django.utils.translation import get_language, gettext, ngettext, override
from django.utils.translation import gettext_noop as _

from core.errors import AppError
from core.mail import send_message, sends_mail
from core.models import AuditEntry, User
from core.services import audit
from listening.models import MonitorAlert
from listening.panels.services.design_seats import Fence
from listening.panels.services.monitoring import RECENT, experiment_status
from rating.models import Experiment, Vote
from rating.services.access import access_of
from rating.services.experiments import check_for_people

QUIET = timedelta(days=3)
FEWEST_LISTENERS = 4  # of fewer, a single one would be a large share
SHARE = 0.25
ABOUT_ABSENCE = {"lost", "lapsed"}  # flags that say nothing about how a person answers
GONE = {"abandoned", "withdrawn"}

Counts = dict[str, int]


def alert_of(*, experiment: Experiment, user: User) -> MonitorAlert | None:
    return MonitorAlert.objects.filter(experiment=experiment, user=user).first()


@transaction.atomic
def set_alert(*, experiment: Experiment, user: User, by_email: bool, address: str = "") -> MonitorAlert | None:
    """Have this person told by e-mail, in the language that is active now, or no longer."""
    check_for_people(experiment)
    known = alert_of(experiment=experiment, user=user)
    made = None
    if by_email:
        _check_sendable(address)
        values = {"address": address, "language": get_language() or settings.LANGUAGE_CODE, "error": ""}
        made, _new = MonitorAlert.objects.update_or_create(experiment=experiment, user=user, defaults=values)
    elif known:
        known.delete()
    if bool(known) != by_email:
        audit.record(
            actor=user,
            action="monitor_alert.changed",
            target=f"experiment/{experiment.slug}",
            before={"by_email": bool(known)},
            after={"by_email": by_email},
        )
    return made


def _check_sendable(address: str) -> None:
    if settings.PRODUCTION and not sends_mail():
        raise AppError(
            "monitor_alert.mail_off", 409, _("This server sends no e-mail. Ask an admin to set EARMARK_EMAIL_URL.")
        )
    if not address:
        raise AppError("monitor_alert.no_address", 422, _("Enter the e-mail address that the messages go to."))


def tell(*, now: datetime, fence: Fence = nullcontext) -> None:
    """Tell everybody what is new since the last message. What is over is forgotten, and told again when it returns.

    A mail server that does not answer ends the run; the next one tells the rest.
    """
    asked = MonitorAlert.objects.filter(
        experiment__state=Experiment.State.LIVE, experiment__deleted_at__isnull=True, user__is_active=True
    )
    standing: dict[UUID, dict[str, Counts]] = {}
    for alert in asked.select_related("experiment", "user").order_by("experiment", "created_at"):
        if access_of(alert.user, alert.experiment) is None:
            continue
        if alert.experiment_id not in standing:
            standing[alert.experiment_id] = attention(experiment=alert.experiment, now=now)
        found = standing[alert.experiment_id]
        if set(found) == set(alert.told):
            continue
        new = {name: counts for name, counts in found.items() if name not in alert.told}
        error = _send(alert, new) if new else alert.error
        with fence():
            MonitorAlert.objects.filter(pk=alert.pk).update(told=list(found), error=error)


def attention(*, experiment: Experiment, now: datetime) -> dict[str, Counts]:
    """What needs attention, by name, with the counts of its sentence."""
    seen = experiment_status(experiment=experiment, now=now)
    total, open_seats, finished = (
        sum(panel[name] for panel in seen["panels"]) for name in ("total", "open", "finished")
    )
    lines = seen["lines"]
    kept = [line for line in lines if line["state"] not in GONE]
    left = [line for line in lines if line["state"] in GONE or "lapsed" in line["flags"]]
    flagged = [line for line in kept if set(line["flags"]) - ABOUT_ABSENCE]
    lately = [line for line in kept if line["last_seen_at"] and now - line["last_seen_at"] <= RECENT]
    failing = [line for line in lately if "clips" in line["flags"]]
    quiet = now - _last_answer_or_start(experiment)
    found: dict[str, Counts] = {}
    if 0 < total == finished:
        found["finished"] = {"n": total}
    elif total and not open_seats:
        found["full"] = {"n": total}
    if finished < total and quiet >= QUIET:
        found["quiet"] = {"days": quiet.days, "n": total - finished, "total": total}
    if failing:
        found["clips"] = {"n": len(failing)}
    if _is_large_share(len(flagged), len(kept)):
        found["flagged"] = {"n": len(flagged), "total": len(kept)}
    if _is_large_share(len(left), len(lines)):
        found["left"] = {"n": len(left), "total": len(lines)}
    return found


def _is_large_share(count: int, listeners: int) -> bool:
    return listeners >= FEWEST_LISTENERS and count >= SHARE * listeners


def _last_answer_or_start(experiment: Experiment) -> datetime:
    """When the newest answer came, or when the experiment last went live, if that was later."""
    votes = Vote.objects.filter(ballot__experiment=experiment, ballot__kind=experiment.counted_kind)
    live = AuditEntry.objects.filter(
        action="experiment.state_changed", target=f"experiment/{experiment.slug}", after__state=Experiment.State.LIVE
    )
    known = (votes.aggregate(at=Max("received_at"))["at"], live.aggregate(at=Max("at"))["at"])
    return max(filter(None, known), default=experiment.created_at)


# --- The message ------------------------------------------------------------------------------------------------------


def _send(alert: MonitorAlert, new: dict[str, Counts]) -> str:
    """Send one message; what the mail server says where it refuses the address for good."""
    title = alert.experiment.title
    with override(alert.language):
        sentences = [_sentence(name, counts) for name, counts in new.items()]
        page = f"{settings.PUBLIC_URL}{reverse('listening:monitor', args=[alert.experiment.slug])}"
        ending = gettext(
            "You asked for these messages on the monitor of this experiment, and can stop them there. Each of these "
            "things is told once, and again if it comes back."
        )
    body = "\n\n".join([title, "\n".join(f"- {sentence}" for sentence in sentences), page, ending])
    subject = " ".join(f"{title}: {sentences[0]}".split())  # one line: a header
    return send_message(EmailMessage(subject=subject, body=body, to=[alert.address]))


def _sentence(name: str, counts: Counts) -> str:
    n = counts["n"]
    match name:
        case "finished":
            said = ngettext("The only seat is finished.", "All %(n)s seats are finished.", n)
        case "full":
            said = ngettext(
                "The only seat is taken; nobody else can take part.",
                "All %(n)s seats are taken; nobody else can take part.",
                n,
            )
        case "quiet":
            said = ngettext(
                "No answer has come in for %(days)s days, and %(n)s of %(total)s seats is not finished.",
                "No answer has come in for %(days)s days, and %(n)s of %(total)s seats are not finished.",
                n,
            )
        case "clips":
            said = ngettext(
                "Clips failed for %(n)s listener who was there in the last 24 hours.",
                "Clips failed for %(n)s listeners who were there in the last 24 hours.",
                n,
            )
        case "flagged":
            said = ngettext(
                "%(n)s of %(total)s listeners has a flag that you should check.",
                "%(n)s of %(total)s listeners have a flag that you should check.",
                n,
            )
        case _:
            said = ngettext(
                "%(n)s of %(total)s listeners has dropped out or has not come back in time.",
                "%(n)s of %(total)s listeners have dropped out or have not come back in time.",
                n,
            )
    return said % counts
