"""The contract of an analysis method: a table of marks goes in, a JSON result comes out; no Django, no database."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    # Importing pandas takes about two seconds, and the web process only needs a method's name.
    import pandas as pd

Json = Any

# One row a mark, made by analysis/datasets.py and by nothing else.
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
    "part",  # which of the pages of one stimulus, from 1; 0 where there is only one
    "order",  # in which its scales were asked, such as SIG-BAK-OVRL; empty where they were asked together
    "factors",  # the item's factors as a JSON object with sorted keys, such as {"location": "kitchen"}
)


class Method(ABC):
    """Constants and one verb; slug and version stand beside every result, so a number leads back to its formula."""

    slug: ClassVar[str]
    version: ClassVar[str]
    title: ClassVar[str]

    @abstractmethod
    def run(self, table: pd.DataFrame) -> Json:
        """Compute the result from a table with exactly COLUMNS; the same rows in any order give the same result."""
