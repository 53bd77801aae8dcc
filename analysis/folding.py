"""A ballot's marks folded into few bytes: a record of codes for each, so that ballots can be joined end to end."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any
from uuid import UUID

import numpy as np
import numpy.typing as npt

from analysis.codebook import Codebook
from rating.models import Score

RECORD = np.dtype(
    [
        ("stimulus", "<u4"),
        ("position", "<u4"),
        ("columns", "<u4"),
        ("session", "<u2"),
        ("scale", "u1"),
        ("practice", "u1"),
        ("value", "<f8"),
    ]
)
Records = npt.NDArray[Any]
BALLOTS_AT_ONCE = 100
SOURCES = (
    "vote__ballot_id",
    "slot__stimulus_id",
    "vote__trial__position",
    "vote__trial__detail",
    "vote__trial__session",
    "scale",
    "vote__trial__kind",
    "value",
)


def fold(ballots: Sequence[UUID], codebook: Codebook) -> dict[UUID, bytes]:
    """Read the marks of the current answers on these ballots and fold them, in the order of the pages."""
    found: dict[UUID, list[tuple[Any, ...]]] = defaultdict(list)
    rows = (
        Score.objects.filter(vote__ballot__in=ballots, vote__current_for__isnull=False)
        .order_by("vote__trial__position", "slot__key", "scale")
        .values_list(*SOURCES)
    )
    for ballot, stimulus, position, detail, session, scale, kind, value in rows.iterator(chunk_size=5000):
        record = (
            codebook.stimulus_codes[stimulus],
            position,
            codebook.column_code(detail),
            session,
            codebook.scale_codes[scale],
            kind == "practice",
            value,
        )
        found[ballot].append(record)
    return {ballot: np.array(found[ballot], dtype=RECORD).tobytes() for ballot in ballots}


def unfold(columns: Sequence[bytes]) -> Records:
    """Join folded ballots into one array."""
    return np.frombuffer(b"".join(columns), dtype=RECORD)


def lengths(columns: Sequence[bytes]) -> npt.NDArray[np.int64]:
    """How many marks each folded ballot holds."""
    return np.array([len(each) // RECORD.itemsize for each in columns], dtype=np.int64)
