"""People with accounts and the API tokens that act for them."""

import hashlib
import secrets
from collections.abc import Collection
from datetime import datetime, timedelta

from allauth.mfa.models import Authenticator
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils.translation import gettext_noop as _

from core.errors import AppError
from core.models import ApiToken, User
from core.services import audit

TOKEN_PREFIX = "earmark_"  # noqa: S105 - lets secret scanners and people recognise a token that got lost
LONGEST_LIFE_DAYS = 365
# Remembering every use would turn each read into a write.
USE_RECORDED_EVERY = timedelta(minutes=1)


def random_password() -> str:
    return secrets.token_urlsafe(18)


@transaction.atomic
def create_account(*, name: str, role: User.Role, password: str | None, actor: User | None, email: str = "") -> User:
    """Make an account; without a password, nobody can sign in until one is chosen by a link."""
    user = User(username=name, role=role, is_staff=role == User.Role.ADMIN, email=email)
    try:
        user.clean_fields(exclude=["password"])
    except ValidationError as problem:
        raise AppError(
            "account.name_invalid",
            400,
            _("'{name}' cannot be the name of an account: {why}"),
            name=name,
            why=" ".join(problem.messages),
        ) from problem
    set_password(user, password)
    try:
        with transaction.atomic():
            user.save()
    except IntegrityError as problem:
        raise AppError(
            "account.name_taken", 409, _("There is already an account called '{name}'; choose another name."), name=name
        ) from problem
    audit.record(actor=actor, action="account.created", target=user, after={"name": name, "role": role})
    return user


def set_password(user: User, password: str | None) -> None:
    """Give the account a password that is not easy to guess, or none; the caller saves it."""
    try:
        if password is not None:
            validate_password(password, user)
    except ValidationError as problem:
        raise AppError(
            "account.password_weak", 400, _("The password is too easy to guess: {why}"), why=" ".join(problem.messages)
        ) from problem
    user.set_password(password)


@transaction.atomic
def change_role(*, account: User, role: User.Role, actor: User | None, reason: str = "") -> User:
    """Make a person an admin or an experimenter. One admin always remains; nobody demotes themselves."""
    user, admins = _locked(account)
    if user.role == role:
        return user
    if role != User.Role.ADMIN:
        _check_not_last_admin(user, admins)
        _check_not_own(user, actor)
    before = user.role
    user.role = role
    user.is_staff = role == User.Role.ADMIN
    user.save(update_fields=["role", "is_staff"])
    audit.record(
        actor=actor,
        action="account.role_changed",
        target=user,
        before={"role": before},
        after={"role": role},
        reason=reason,
    )
    return user


@transaction.atomic
def deactivate(*, account: User, actor: User | None, reason: str = "") -> User:
    """Let a person no longer sign in; what they own stays. Open sessions, API tokens and links end at once."""
    user, admins = _locked(account)
    if not user.is_active:
        return user
    _check_not_last_admin(user, admins)
    _check_not_own(user, actor)
    return _set_active(user, False, actor=actor, action="account.deactivated", reason=reason)


@transaction.atomic
def reactivate(*, account: User, actor: User | None, reason: str = "") -> User:
    """Let a person sign in again, with the password and the second factor that they had."""
    user, _admins = _locked(account)
    return user if user.is_active else _set_active(user, True, actor=actor, action="account.reactivated", reason=reason)


def _set_active(user: User, active: bool, *, actor: User | None, action: str, reason: str) -> User:
    user.is_active, user.password_link_at = active, None
    user.save(update_fields=["is_active", "password_link_at"])
    audit.record(actor=actor, action=action, target=user, after={"name": user.username}, reason=reason)
    return user


def _locked(account: User) -> tuple[User, list[User]]:
    """The account and all admins who can sign in, locked in one order, so that two changes take turns."""
    admins = list(User.objects.select_for_update().filter(role=User.Role.ADMIN, is_active=True).order_by("pk"))
    return User.objects.select_for_update().get(pk=account.pk), admins


def _check_not_last_admin(user: User, admins: list[User]) -> None:
    if admins == [user]:
        raise AppError(
            "account.last_admin",
            409,
            _("'{name}' is the only admin; make another person an admin first."),
            name=user.username,
        )


def _check_not_own(user: User, actor: User | None) -> None:
    if user == actor:
        raise AppError(
            "account.own",
            409,
            _("This is your own account, and you would lock yourself out; ask another admin to do it."),
        )


@transaction.atomic
def set_quota(*, account: User, quota_gb: float | None, actor: User) -> User:
    """Let a person store so much, or as much as everybody (None)."""
    user = User.objects.select_for_update().get(pk=account.pk)
    if user.quota_gb != quota_gb:
        before, user.quota_gb = user.quota_gb, quota_gb
        user.save(update_fields=["quota_gb"])
        audit.record(
            actor=actor,
            action="account.quota_changed",
            target=user,
            before={"quota_gb": before},
            after={"quota_gb": quota_gb},
        )
    return user


@transaction.atomic
def change_email(*, account: User, email: str, actor: User) -> User:
    """Give an account an e-mail address, or none. The log says that it changed, and keeps no address."""
    user = User.objects.select_for_update().get(pk=account.pk)
    if user.email != email:
        before, user.email = user.email, email
        user.save(update_fields=["email"])
        audit.record(
            actor=actor,
            action="account.email_changed",
            target=user,
            before={"has_email": bool(before)},
            after={"has_email": bool(email)},
        )
    return user


@transaction.atomic
def remove_second_factor(*, account: User, actor: User | None, reason: str) -> bool:
    """Let a person who lost the telephone and the recovery codes begin again; False when there is nothing to remove."""
    if account == actor:
        raise AppError(
            "account.own_factor",
            409,
            _("Remove your own second factor on the page of your account, which asks for your password first."),
        )
    removed, _kinds = Authenticator.objects.filter(user=account).delete()
    if removed:
        audit.record(actor=actor, action="account.second_factor_removed", target=account, reason=reason)
    return bool(removed)


def digest_of(secret: str) -> str:
    """What is kept of a token. It is drawn from 256 random bits, so a plain hash cannot be guessed backwards."""
    return hashlib.sha256(secret.encode()).hexdigest()


@transaction.atomic
def create_token(*, owner: User, name: str, scopes: Collection[str], days: int, now: datetime) -> tuple[ApiToken, str]:
    """Make a token and return it with its secret, which cannot be shown again."""
    known = [scope for scope in ApiToken.Scope.values if scope in scopes]
    if not name or not known or len(known) != len(set(scopes)) or not 1 <= days <= LONGEST_LIFE_DAYS:
        raise AppError(
            "token.unfit",
            400,
            _("A token needs a name, at least one known scope, and a life of 1 to {longest_days} days."),
            longest_days=LONGEST_LIFE_DAYS,
        )
    User.objects.select_for_update().get(pk=owner.pk)  # two requests at once must not make two tokens of one name
    if ApiToken.objects.usable().filter(user=owner, name=name).exists():
        raise AppError(
            "token.name_taken",
            409,
            _("You already have a token called '{name}'; revoke it first or choose another name."),
            name=name,
        )
    secret = TOKEN_PREFIX + secrets.token_urlsafe(32)
    token = ApiToken.objects.create(
        user=owner, name=name, scopes=known, digest=digest_of(secret), expires_at=now + timedelta(days=days)
    )
    audit.record(
        actor=owner,
        action="token.created",
        target=token,
        after={"name": name, "scopes": known, "expires_at": token.expires_at.isoformat()},
    )
    return token, secret


@transaction.atomic
def revoke_token(*, token: ApiToken, actor: User, now: datetime) -> None:
    """End a token for good. Revoking it twice changes nothing."""
    if ApiToken.objects.filter(pk=token.pk, revoked_at__isnull=True).update(revoked_at=now):
        audit.record(actor=actor, action="token.revoked", target=token, before={"name": token.name})


def note_token_use(*, token: ApiToken, now: datetime) -> None:
    if token.last_used_at is None or token.last_used_at <= now - USE_RECORDED_EVERY:
        ApiToken.objects.filter(pk=token.pk).update(last_used_at=now)
