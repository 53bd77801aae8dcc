"""HMACs (SHA-256) under keys that are not in the database, so that edited rows cannot be sealed again."""

import hashlib
import hmac
from functools import lru_cache

from django.conf import settings


def hmac_of(message: bytes, *, salt: str = "") -> str:
    """HMAC-SHA-256 under the present key, and under a salt (hexadecimal) where one is given."""
    return _hmac(_keys(tuple(settings.SEAL_KEYS))[0], message, salt)


def valid_hmacs(message: bytes, *, salt: str = "") -> list[str]:
    """HMACs under the present key and under each earlier one; a stored HMAC must be one of these."""
    return [_hmac(key, message, salt) for key in _keys(tuple(settings.SEAL_KEYS))]


def _hmac(key: bytes, message: bytes, salt: str) -> str:
    return hmac.digest(key + bytes.fromhex(salt), message, "sha256").hex()


@lru_cache(maxsize=4)
def _keys(given: tuple[str, ...]) -> list[bytes]:
    """Keys of 32 bytes: with a salt of as many they fill the block of SHA-256, and cost nothing more."""
    return [hashlib.sha256(key.encode()).digest() for key in given]
