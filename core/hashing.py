"""Hashes of values: one canonical JSON form for everything that is hashed, SHA-256 digests, and HMACs.

The key of the HMACs (EARMARK_SEAL_KEY) is not in the database, so an edit of rows cannot be covered by new hashes.
"""

import hashlib
import hmac
import json
from functools import lru_cache
from typing import Any

from django.conf import settings

WHOLE_NUMBERS_END = 2**53  # beyond it a double no longer tells neighbours apart


def canonical(value: Any) -> bytes:
    return json.dumps(_plain(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def digest(value: Any) -> str:
    return hashlib.sha256(canonical(value)).hexdigest()


def _plain(value: Any) -> Any:
    """Spell each number as the double that a browser means: PostgreSQL gives 1e22 back as an integer, -0.0 as 0.0."""
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    try:
        double = float(value)
    except OverflowError:  # an integer beyond every double, which comes back as it went in
        return value
    return int(double) if double.is_integer() and abs(double) < WHOLE_NUMBERS_END else double


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
