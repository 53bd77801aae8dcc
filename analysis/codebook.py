"""Whole numbers for what a mark is about, the same for every ballot of an experiment, so that ballots add up."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from uuid import UUID

from core.hashing import digest
from rating.models import Experiment
from rating.registry import get_protocol
from stimuli.models import Stimulus

FORMAT = 1  # of a folded mark; another one makes every fold stale
NIBBLE = 4  # bits; an order of scales is written as one number, a nibble a scale


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
    """The stimuli of the collection in the order of their ids, and the scales of the protocol in their own order."""

    stimuli: tuple[Heard, ...]
    scales: tuple[str, ...]

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
        return cls(tuple(stimuli), tuple(scale.key for scale in get_protocol(experiment.protocol).scales))

    @cached_property
    def sha256(self) -> str:
        """Names what the codes mean; factors and names may change without a mark being folded anew."""
        return digest([FORMAT, self.scales, [heard.id.hex for heard in self.stimuli]])

    @cached_property
    def stimulus_codes(self) -> dict[UUID, int]:
        return {heard.id: code for code, heard in enumerate(self.stimuli)}

    @cached_property
    def scale_codes(self) -> dict[str, int]:
        return {key: code for code, key in enumerate(self.scales)}

    def order_code(self, order: Sequence[str]) -> int:
        """An order of scales as a number: SIG-BAK-OVRL is 0x123; 0 where the scales were asked together."""
        code = 0
        for key in order:
            code = code << NIBBLE | self.scale_codes[key] + 1
        return code

    def order_name(self, code: int) -> str:
        keys = []
        while code:
            keys.append(self.scales[(code & 0xF) - 1])
            code >>= NIBBLE
        return "-".join(reversed(keys))


def _as_text(factors: object) -> str:
    named = factors if isinstance(factors, dict) else {}
    return json.dumps({str(key): str(value) for key, value in named.items()}, sort_keys=True, ensure_ascii=False)
