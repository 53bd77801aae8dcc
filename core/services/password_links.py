"""Links by which people choose a password: one for each account at a time, used once, shown once or sent by e-mail.

The secret of a link is derived from the site's secret key, which is not in the database: the job that sends a link
makes it again, and a copy of the database opens no account.
"""

import base64
from datetime import datetime, timedelta

from django.conf import settings
from django.core.mail import EmailMessage
from django.db import transaction
from django.urls import reverse
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.translation import get_language, gettext, override
from django.utils.translation import gettext_noop as _

from core.errors import AppError
from core.jobs import JobRun, enqueue, job
from core.mail import send_message, sends_mail
from core.models import User
from core.services import accounts, audit

LINK_DAYS = 3


@transaction.atomic
def invite(*, name: str, role: User.Role, email: str, now: datetime, actor: User) -> tuple[User, str]:
    """Make an account without a password; return it with its link, which is empty where it was sent by e-mail."""
    user = accounts.create_account(name=name, role=role, password=None, actor=actor, email=email)
    by_mail = bool(email) and sends_mail()
    link = make_link(account=user, by_mail=by_mail, now=now, actor=actor)
    return user, "" if by_mail else link


@transaction.atomic
def make_link(*, account: User, by_mail: bool, now: datetime, actor: User) -> str:
    """Make a link by which the account's owner chooses a new password; earlier ones no longer work.

    The password of now stays until a new one is chosen.
    """
    user = User.objects.select_for_update().get(pk=account.pk)
    if not user.is_active:
        raise AppError(
            "account.inactive", 409, _("'{name}' is deactivated; reactivate the account first."), name=user.username
        )
    if by_mail and not (user.email and sends_mail()):
        raise AppError(
            "account.no_mail",
            409,
            _("'{name}' has no e-mail address, or this server sends no e-mail; show the link instead."),
            name=user.username,
        )
    user.password_link_at = now
    user.save(update_fields=["password_link_at"])
    audit.record(actor=actor, action="account.password_link_made", target=user, after={"by_mail": by_mail})
    if by_mail:
        enqueue(send_password_link, requested_by=actor, user_id=str(user.pk), language=get_language() or "en")
    return link_of(user)


def link_of(user: User) -> str:
    return f"{settings.PUBLIC_URL}{reverse('core:set_password', args=[f'{user.pk}-{_secret(user)}'])}"


def account_of(token: str, *, now: datetime) -> User:
    """The account that the link belongs to, while it is valid."""
    number, _dash, secret = token.partition("-")
    user = User.objects.filter(pk=int(number), is_active=True).first() if _is_key(number) else None
    made = user.password_link_at if user else None
    if user is None or made is None or now >= made + timedelta(days=LINK_DAYS) or not _fits(user, secret):
        raise AppError(
            "account.link_invalid",
            404,
            _("This link was used, replaced by a newer one, or has expired. Ask an admin for a new one."),
        )
    return user


@transaction.atomic
def choose_password(*, token: str, password: str, now: datetime) -> User:
    """Set the password, which ends the link and every open session of the account."""
    User.objects.select_for_update().get(pk=account_of(token, now=now).pk)
    user = account_of(token, now=now)  # as it stands now: of two requests at once, one comes too late
    accounts.set_password(user, password)
    user.password_link_at = None
    user.save(update_fields=["password", "password_link_at"])
    audit.record(actor=user, action="account.password_chosen", target=user)
    return user


@job(queue="interactive", title=_("Sending e-mail"))
def send_password_link(*, run: JobRun, user_id: str, language: str) -> None:
    """Send the newest link. A run that was cut short sends the same one again."""
    user = User.objects.filter(pk=user_id, is_active=True, password_link_at__isnull=False).exclude(email="").first()
    if user is None:
        return
    with override(language):
        subject = gettext("Your account at Earmark")
        text = gettext(
            "Hello %(name)s,\n\nchoose a password for your account with this link:\n\n%(link)s\n\n"
            "It works once, and for %(days)s days. Then sign in as %(name)s."
        ) % {"name": user.username, "link": link_of(user), "days": LINK_DAYS}
    if why := send_message(EmailMessage(subject=subject, body=text, to=[user.email])):
        raise AppError("account.mail_refused", 409, _("The mail server refused the message: {why}"), why=why)


def _secret(user: User, key: str = "") -> str:
    """Of the moment and of the password hash: a link ends with the next one, and when the password changes."""
    made = user.password_link_at.isoformat() if user.password_link_at else ""
    value = f"{user.pk} {made} {user.password}"
    derived = salted_hmac("core.password_link", value, secret=key or None, algorithm="sha256").digest()
    return base64.urlsafe_b64encode(derived[:24]).decode()


def _fits(user: User, secret: str) -> bool:
    keys = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    return any(constant_time_compare(secret, _secret(user, key)) for key in keys)


def _is_key(number: str) -> bool:
    return number.isascii() and number.isdigit() and len(number) <= audit.MOST_DIGITS
