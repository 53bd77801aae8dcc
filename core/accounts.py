"""Adapters of the sign-in library: no sign-up, and no secret in plain text in the database."""

import base64
import hashlib

from allauth.account.adapter import DefaultAccountAdapter
from allauth.mfa.adapter import DefaultMFAAdapter
from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.http import HttpRequest
from django.utils.translation import gettext_noop as _

from core.errors import AppError


class ClosedSignup(DefaultAccountAdapter):  # type: ignore[misc]
    """Accounts are made by admins, never by visitors."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False


class EncryptedSecrets(DefaultMFAAdapter):  # type: ignore[misc]
    """Encrypts second factors, so that a copy of the database does not tell how to make codes."""

    def encrypt(self, text: str) -> str:
        return _cipher().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        try:
            return _cipher().decrypt(encrypted_text.encode()).decode()
        except InvalidToken as problem:
            raise AppError(
                "auth.second_factor_unreadable",
                403,
                _("The site's secret key has changed, so your second factor cannot be read; ask an admin."),
            ) from problem


def _cipher() -> MultiFernet:
    """Derive keys from the site's secret key; earlier ones still decrypt what they encrypted."""
    site_keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    digests = [hashlib.sha256(b"earmark second factor:" + key.encode()).digest() for key in site_keys]
    return MultiFernet([Fernet(base64.urlsafe_b64encode(digest)) for digest in digests])
