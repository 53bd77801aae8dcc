"""How the paper is read where it leaves a choice."""

from dataclasses import dataclass
from typing import Any, Literal, get_args

Closest = Literal["edits", "accuracy"]
CLOSEST: tuple[Closest, ...] = get_args(Closest)


@dataclass(frozen=True, slots=True)
class Reading:
    """The defaults are `edits/without_boundaries`; docs/methods/summaries.md says why."""

    closest: Closest = "edits"  # the target has the fewest errors, or the highest word accuracy
    boundaries: bool = False  # whether the arcs from <s> and to </s> weigh in WSumACCY
    longest_ngram: int = 5  # p_1 .. p_5
    bleu_order: int = 4  # as in Papineni et al. (2002)

    @property
    def name(self) -> str:
        return f"{self.closest}/{'with' if self.boundaries else 'without'}_boundaries"

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "closest": self.closest,
            "boundaries": self.boundaries,
            "longest_ngram": self.longest_ngram,
            "bleu_order": self.bleu_order,
        }


DEFAULT = Reading()
