"""Permissions: every view names its audience, and a view that names none is open to nobody."""

from collections.abc import Callable
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeVar, cast

from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext_noop as _
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from core.errors import AppError
from core.http_errors import audience_missing, auth_denied, auth_required
from core.models import ApiToken, User

if TYPE_CHECKING:
    from rest_framework.views import APIView  # which loads this module while it is loading itself

# However busy it is kept, a staff session ends after a working day.
STAFF_SESSION_S = 12 * 3600
SIGNED_IN_AT = "signed_in_at"

View = TypeVar("View", bound=Callable[..., Any])


class Audience(StrEnum):
    PUBLIC = "public"
    PARTICIPANT = "participant"  # the view resolves the visit through listening.participation.access
    SIGNED_IN = "signed-in"  # has given a password, may still lack the second factor
    STAFF = "staff"
    ADMIN = "admin"
    NOBODY = "nobody"  # comes along with a library and is not offered here


# Views of libraries cannot carry an audience, so they are listed here by name, or by namespace for all that it holds.
LIBRARY_VIEWS = {
    "set_language": Audience.PUBLIC,
    "account_login": Audience.PUBLIC,
    "account_logout": Audience.PUBLIC,
    "account_inactive": Audience.PUBLIC,
    "mfa_authenticate": Audience.PUBLIC,  # between the password and the second factor nobody is signed in yet
    "account_reauthenticate": Audience.SIGNED_IN,
    "account_change_password": Audience.SIGNED_IN,
    "mfa_reauthenticate": Audience.SIGNED_IN,
    "mfa_index": Audience.SIGNED_IN,
    "mfa_activate_totp": Audience.SIGNED_IN,
    "mfa_deactivate_totp": Audience.SIGNED_IN,
    "mfa_view_recovery_codes": Audience.SIGNED_IN,
    "mfa_generate_recovery_codes": Audience.SIGNED_IN,
    "mfa_download_recovery_codes": Audience.SIGNED_IN,
    "admin": Audience.ADMIN,
    # Accounts are made by admins, and a password is chosen by a link that an admin makes (core:set_password).
    "account_signup": Audience.NOBODY,
    "account_email": Audience.NOBODY,
    "account_email_verification_sent": Audience.NOBODY,
    "account_confirm_email": Audience.NOBODY,
    "account_set_password": Audience.NOBODY,
    "account_confirm_login_code": Audience.NOBODY,
    "account_reset_password": Audience.NOBODY,
    "account_reset_password_done": Audience.NOBODY,
    "account_reset_password_from_key": Audience.NOBODY,
    "account_reset_password_from_key_done": Audience.NOBODY,
    "mfa_trust": Audience.NOBODY,
    # A password is changed in one place, which limits the rate of attempts.
    "admin:password_change": Audience.NOBODY,
    "admin:password_change_done": Audience.NOBODY,
}


def requires(audience: Audience) -> Callable[[View], View]:
    """State the audience of a function view."""

    def mark(view: View) -> View:
        view.audience = audience  # type: ignore[attr-defined]
        return view

    return mark


def audience_of(view: Callable[..., Any], view_name: str) -> Audience | None:
    """The audience that the view states, or that LIBRARY_VIEWS states for it; None where neither does."""
    view_class = getattr(view, "cls", None) or getattr(view, "view_class", None)
    stated = getattr(view, "audience", None) or getattr(view_class, "audience", None)
    if stated is None:
        namespace, _, _ = view_name.partition(":")
        return LIBRARY_VIEWS.get(view_name) or LIBRARY_VIEWS.get(namespace)
    if hasattr(view, "cls") and HasAudience not in view.cls.permission_classes:
        return None
    return Audience(stated)


def staff(request: HttpRequest | Request) -> User:
    """The signed-in user of a request that has passed the permission check."""
    return cast(User, request.user)


def has_second_factor(user: User) -> bool:
    return bool(is_mfa_enabled(user))


def check_access(user: User | AnonymousUser, audience: Audience) -> None:
    """Raise the error that keeps this user out, if there is one."""
    if audience in {Audience.PUBLIC, Audience.PARTICIPANT}:
        return
    if not isinstance(user, User) or not user.is_active:
        raise auth_required()
    if audience == Audience.SIGNED_IN:
        return
    if settings.SECOND_FACTOR_REQUIRED and not has_second_factor(user):
        raise AppError("auth.second_factor", 403, _("Set up a second factor on your account page first."))
    if audience != Audience.STAFF and not (audience == Audience.ADMIN and user.is_admin):
        raise auth_denied()


def session_has_ended(request: HttpRequest) -> bool:
    """Tell whether a staff session is past its working day; the first page of the session starts its clock."""
    now = timezone.now().timestamp()
    signed_in_at = request.session.setdefault(SIGNED_IN_AT, now)
    return bool(now - signed_in_at > STAFF_SESSION_S)


class HasAudience(BasePermission):
    """The same rule inside the REST framework, where the person may also be known by a token with scopes."""

    def has_permission(self, request: Request, view: "APIView") -> bool:
        audience = getattr(view, "audience", None)
        if audience is None:
            raise audience_missing()
        check_access(request.user, audience)
        if isinstance(request.auth, ApiToken):
            check_scope(request.auth, request.method or "", getattr(view, "scopes", {}))
        return True


def check_scope(token: ApiToken, method: str, scopes: dict[str, str]) -> None:
    usual = ApiToken.Scope.READ if method in SAFE_METHODS else ApiToken.Scope.WRITE
    scope = str(scopes.get(method, usual))
    if scope not in token.scopes:
        raise AppError(
            "token.scope",
            403,
            _("The API token lacks the scope '{scope}'; make one that has it on your account page."),
            scope=scope,
        )
