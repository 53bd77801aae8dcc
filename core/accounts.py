"""Adapters of the sign-in library: no sign-up, and no secret in plain text in the database."""

from allauth.account.adapter import DefaultAccountAdapter
from allauth.mfa.adapter import DefaultMFAAdapter
from cryptography.fernet import InvalidToken
from django.http import HttpRequest
from django.utils.translation import gettext_noop as _

from core.encryption import cipher
from core.errors import AppError

PURPOSE = "second factor"


class ClosedSignup(DefaultAccountAdapter):  # type: ignore[misc]
    """Accounts are made by admins, never by visitors."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False


class EncryptedSecrets(DefaultMFAAdapter):  # type: ignore[misc]
    """Encrypts second factors, so that a copy of the database does not tell how to make codes."""

    def encrypt(self, text: str) -> str:
        return cipher(PURPOSE).encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        try:
            return cipher(PURPOSE).decrypt(encrypted_text.encode()).decode()
        except InvalidToken as problem:
            raise AppError(
                "auth.second_factor_unreadable",
                403,
                _("The site's secret key has changed, so your second factor cannot be read; ask an admin."),
            ) from problem
