"""Codes for what a mark is about: whole numbers that are the same for every ballot of an experiment."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any
from uuid import UUID

from core.hashing import digest
from rating.models import Experiment
from rating.protocol import TrialColumn
from rating.registry import get_protocol
from stimuli.models import Stimulus

FORMAT = 2  # of a folded mark; another one makes every fold stale


@dataclass(frozen=True)
class Heard:
    """A stimulus by its names."""

    id: UUID
    item: str
    condition: str
    role: str
    factors: str  # of the item, as JSON
    condition_factors: str  # as JSON


@dataclass(frozen=True)
class Codebook:
    """The stimuli of the collection in the order of their ids, and the protocol's scales and columns in their own."""

    stimuli: tuple[Heard, ...]
    scales: tuple[str, ...]
    columns: tuple[TrialColumn, ...] = ()

    @classmethod
    def of(cls, experiment: Experiment) -> Codebook:
        rows = Stimulus.objects.filter(item__collection=experiment.collection_id).values_list(
            "id", "item__name", "condition__name", "condition__role", "item__factors", "condition__factors"
        )
        stimuli = sorted(
            (
                Heard(stimulus, item, condition, role, _as_text(factors), _as_text(made_with))
                for stimulus, item, condition, role, factors, made_with in rows
            ),
            key=lambda heard: heard.id,
        )
        protocol = get_protocol(experiment.protocol)
        return cls(tuple(stimuli), tuple(scale.key for scale in protocol.scales), protocol.trial_columns)

    @cached_property
    def sha256(self) -> str:
        """Names what the codes mean; factors and names may change without a mark being folded anew."""
        return digest([FORMAT, self.scales, [heard.id.hex for heard in self.stimuli], self._values])

    @cached_property
    def stimulus_codes(self) -> dict[UUID, int]:
        return {heard.id: code for code, heard in enumerate(self.stimuli)}

    @cached_property
    def scale_codes(self) -> dict[str, int]:
        return {key: code for code, key in enumerate(self.scales)}

    @cached_property
    def _values(self) -> list[tuple[str | int | None, ...]]:
        """Every combination of values that the protocol's own columns may have, each empty or one of those declared."""
        return list(product(*((None, *column.values) for column in self.columns)))

    @cached_property
    def _codes(self) -> dict[tuple[str | int | None, ...], int]:
        return {values: code for code, values in enumerate(self._values)}

    def column_code(self, detail: Mapping[str, Any]) -> int:
        """The values of the protocol's own columns on one page, as one number."""
        return self._codes[tuple(column.of(detail) for column in self.columns)]

    def column_names(self, column: TrialColumn, codes: Iterable[int]) -> list[str]:
        """What these numbers mean in one of the columns."""
        at = self.columns.index(column)
        return ["" if self._values[code][at] is None else str(self._values[code][at]) for code in codes]


def _as_text(factors: object) -> str:
    named = factors if isinstance(factors, dict) else {}
    return json.dumps({str(key): str(value) for key, value in named.items()}, sort_keys=True, ensure_ascii=False)
