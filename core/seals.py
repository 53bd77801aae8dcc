"""Keyed hashes (HMAC-SHA-256). The key is not in the database, so an edit of rows cannot be covered by new hashes."""

import hashlib
import hmac
from functools import lru_cache

from django.conf import settings


def seal(message: bytes, *, salt: str = "") -> str:
    """The hash under the present key, and under a salt (hexadecimal) where one is given."""
    return _hmac(_keys(tuple(settings.SEAL_KEYS))[0], message, salt)


def seals(message: bytes, *, salt: str = "") -> list[str]:
    """The hash under the present key and under each earlier one; a stored hash must be one of these."""
    return [_hmac(key, message, salt) for key in _keys(tuple(settings.SEAL_KEYS))]


def _hmac(key: bytes, message: bytes, salt: str) -> str:
    return hmac.digest(key + bytes.fromhex(salt), message, "sha256").hex()


@lru_cache(maxsize=4)
def _keys(given: tuple[str, ...]) -> list[bytes]:
    """Keys of 32 bytes: with a salt of as many they fill the block of SHA-256, and cost nothing more."""
    return [hashlib.sha256(key.encode()).digest() for key in given]
