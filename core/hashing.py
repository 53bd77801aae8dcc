"""Hashes of values: one canonical JSON form for everything that is hashed, and its SHA-256; without Django."""

import hashlib
import json
from typing import Any

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
