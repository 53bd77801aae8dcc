"""People with accounts, as tests need them."""

from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, format_hotp_value, hotp_value, yield_hotp_counters_from_time
from django.test import Client
from django.utils import timezone

from core.models import User
from core.services import accounts

PASSWORD = "correct horse battery"
SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"


def experimenter(name: str = "erin") -> User:
    return accounts.create_account(name=name, role=User.Role.EXPERIMENTER, password=PASSWORD, actor=None)


def admin(name: str = "ada") -> User:
    return accounts.create_account(name=name, role=User.Role.ADMIN, password=PASSWORD, actor=None)


def give_second_factor(user: User) -> None:
    TOTP.activate(user, SECRET)
    RecoveryCodes.activate(user)


def code_shown_by_the_app(secret: str = SECRET) -> str:
    *_, newest = yield_hotp_counters_from_time()
    return str(format_hotp_value(hotp_value(secret, newest)))


def browser_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def token_of(user: User, *scopes: str, name: str = "script", days: int = 30) -> str:
    _, secret = accounts.create_token(owner=user, name=name, scopes=scopes, days=days, now=timezone.now())
    return secret


def bearing(secret: str) -> Client:
    return Client(headers={"authorization": f"Bearer {secret}"})
