"""Contract of an analysis method: answers go in, a JSON result comes out; no Django, no database."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    # Importing pandas takes about two seconds, and the web process only needs a method's name.
    import pandas as pd

Json = Any

# One row a mark, made by analysis/datasets.py and by nothing else; after these come the protocol's `trial_columns`.
COLUMNS = (
    "listener",  # one key a listener, never missing: an erased participant's ballot still counts as one person
    "panel",
    "session",
    "position",
    "item",
    "condition",
    "condition_role",  # test, reference, anchor, full-length
    "scale",
    "value",
    "kind",  # practice or test
    "factors",  # the item's factors as a JSON object with sorted keys, such as {"location": "kitchen"}
    "condition_factors",  # the condition's, such as {"method": "greedy", "z": "0.5"}
    "group",  # of people, such as expert; empty where the protocol has none
)
# After all others: whether the answer is excluded, and why. Methods are given answers that are not.
EXCLUDED, REASON = "excluded", "reason"
# A column that results add: whether the listener has answered every page of the test.
COMPLETE = "complete"


@dataclass(frozen=True)
class HeardSlot:
    """One stimulus of a page: what was heard or read there."""

    item: str
    condition: str
    role: str
    factors: Mapping[str, str]
    text: Mapping[str, Json] | None
    duration_s: float


@dataclass(frozen=True)
class AnsweredPage:
    """A page with its whole answer, for methods that need more than numbers; made by analysis/datasets.py alone."""

    listener: int
    group: str
    panel: int | None
    session: int
    position: int
    kind: str  # practice or test
    slots: Mapping[str, HeardSlot]
    marks: Mapping[tuple[str, str], float]  # by slot and scale
    detail: Mapping[str, Json]  # what the protocol read besides numbers


class AnyMethod(ABC):
    """Slug and version stand beside every result, so a number leads back to its formula."""

    slug: ClassVar[str]
    version: ClassVar[str]
    title: ClassVar[str]


class Method(AnyMethod):
    """A method over numbers: constants and one verb, and a second for figures that can wait."""

    sets_incomplete_apart: ClassVar[bool] = False  # it gives the figures of complete listeners itself
    rates_conditions: ClassVar[bool] = False  # marks are ratings, which a mixed model and rules of screening take

    @abstractmethod
    def run(self, table: pd.DataFrame) -> Json:
        """Compute the result from a table of COLUMNS and the protocol's own; the order of rows changes nothing."""

    def further(self, table: pd.DataFrame, result: Json) -> Json:
        """Compute the tables that are shown a little later than the result, such as other models of the same marks."""
        return {}

    def model_level(self, table: pd.DataFrame) -> Sequence[Mapping[str, Any]]:
        """Compute only the means of the mixed model, so that those of all answers can stand beside the result's."""
        return ()


class PageMethod(AnyMethod):
    """A method over whole answers: words that were picked, boundaries that were set."""

    @abstractmethod
    def run(self, pages: Sequence[AnsweredPage], material: Sequence[HeardSlot]) -> Json:
        """Compute the result from every page that counts and all that the collection holds, in whatever order."""
