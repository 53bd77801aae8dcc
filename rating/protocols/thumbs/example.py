"""What the option that describes an example must hold: a clip, and its captions with scores and reasons."""

from collections.abc import Iterable, Mapping

from core.clauses import Clause, clause
from rating.protocols.base import InvalidAnswer, Json, OptionUnfit, Scale


def check_example(example: Json, material: Mapping[str, Mapping[str, str]], *, scales: Iterable[Scale]) -> None:
    item, captions = example.get("item"), example.get("captions")
    known = example.keys() <= {"item", "captions", "synthesised"}
    if not known or not isinstance(item, str) or not isinstance(captions, list):
        raise _unfit(clause("it takes an item, a list of captions, synthesised as true or false, and nothing else."))
    if not isinstance(example.get("synthesised", False), bool):
        raise _unfit(clause("synthesised takes true or false."))
    if material and item not in material:
        raise _unfit(clause("the collection has no item {item}.", item=item[:40]))
    left = set(material.get(item, ()))
    for number, caption in enumerate(captions, start=1):
        name = caption.get("condition") if isinstance(caption, dict) else None
        if not isinstance(name, str) or (material and name not in left):
            raise _unfit(
                clause(
                    "caption {number} must name a condition of its own; left are {known}.",
                    number=number,
                    known=", ".join(sorted(left)) or "-",
                )
            )
        left.discard(name)
        _check_shown(caption, number, scales)


def _check_shown(caption: Json, number: int, scales: Iterable[Scale]) -> None:
    if unknown := sorted(caption.keys() - {"condition", "why", *(scale.key for scale in scales)}):
        raise _unfit(
            clause("caption {number} has {unknown}, which nothing reads.", number=number, unknown=unknown[0][:40])
        )
    for scale in scales:
        try:
            scale.accept(caption.get(scale.key))
        except InvalidAnswer as refusal:
            raise _unfit(
                clause("in caption {number}, {problem}", number=number, problem=refusal.data["problem"])
            ) from None
    if not isinstance(caption.get("why", ""), str):
        raise _unfit(clause("why of caption {number} is a text.", number=number))


def _unfit(problem: Clause) -> OptionUnfit:
    return OptionUnfit(option="example", problem=problem)
