"""How signing in differs from the library's defaults: no sign-up, and no secret in plain text in the database."""

import base64
import hashlib

from allauth.account.adapter import DefaultAccountAdapter
from allauth.mfa.adapter import DefaultMFAAdapter
from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.http import HttpRequest

from core.refusals import SecondFactorUnreadable


class ClosedSignup(DefaultAccountAdapter):  # type: ignore[misc]
    """Accounts are made by admins, never by visitors."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False


class SealedSecrets(DefaultMFAAdapter):  # type: ignore[misc]
    """Whoever reads the database, or a copy of it, must not learn how to make everybody's codes."""

    def encrypt(self, text: str) -> str:
        return _seal().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        try:
            return _seal().decrypt(encrypted_text.encode()).decode()
        except InvalidToken as problem:
            raise SecondFactorUnreadable from problem


def _seal() -> MultiFernet:
    """Derive keys from the site's secret key; the earlier ones still open what they sealed."""
    site_keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    digests = [hashlib.sha256(b"earmark second factor:" + key.encode()).digest() for key in site_keys]
    return MultiFernet([Fernet(base64.urlsafe_b64encode(digest)) for digest in digests])
