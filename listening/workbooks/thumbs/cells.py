"""Single cells of the assessment: what each says, or why it cannot be taken as it stands."""

import re
from typing import Any, Literal, NamedTuple

from core.clauses import Clause, clause
from listening.workbooks.thumbs import layout
from rating.protocols.base import InvalidAnswer, Scale
from rating.protocols.thumbs import LONGEST_COMMENT, PENALTIES

SAID = {layout.YES: True, layout.NO: False}
RETURNS = re.compile(r"_x000D_")  # how spreadsheets write a carriage return


class Judged(NamedTuple):
    """What is taken out of a cell, and what must be said about it."""

    value: Any = None
    kind: Literal["error", "positive", ""] = ""
    problem: Clause | None = None


def score(value: Any, scale: Scale, *, is_formula: bool) -> Judged:
    """A number of the scale. A positive penalty is taken for a negative one, and said: it counts only on request."""
    if (problem := _no_number(value, is_formula=is_formula)) is not None:
        return Judged(kind="error", problem=problem)
    number = round(float(value), 9)
    positive = scale.key in PENALTIES and number > 0
    try:
        taken = scale.accept(-number if positive else number) + 0.0  # never -0
    except InvalidAnswer:
        low, high, step = (written(each) for each in (scale.low, scale.high, scale.step))
        return Judged(
            kind="error", problem=clause("it takes {low} to {high} in steps of {step}", low=low, high=high, step=step)
        )
    if positive:
        meant = clause("a penalty is 0 or negative; {value} may be meant", value=written(taken))
        return Judged(taken, "positive", meant)
    return Judged(taken)


def _no_number(value: Any, *, is_formula: bool) -> Clause | None:
    if is_formula:
        return clause("it holds a formula; type the number itself")
    if isinstance(value, str) and value.startswith("#"):
        return clause("it holds an error; type a number")
    if isinstance(value, bool) or not isinstance(value, int | float):
        return clause("it holds a text; type a number, or leave it empty")
    return None


def yes_or_no(value: Any, *, is_formula: bool) -> Judged:
    said = value if isinstance(value, bool) else SAID.get(str(value).strip().lower())
    if said is None or is_formula:
        return Judged(kind="error", problem=clause("it takes yes or no"))
    return Judged(float(said))


def comment(value: Any, *, is_formula: bool) -> Judged:
    text = RETURNS.sub("", written(value)).strip()
    if is_formula:
        return Judged(kind="error", problem=clause("it holds a formula; write the comment without = before it"))
    if len(text) > LONGEST_COMMENT:
        return Judged(kind="error", problem=clause("a comment has at most {n} letters", n=LONGEST_COMMENT))
    return Judged(text)


def written(value: Any) -> str:
    """A value as a person would write it: whole numbers without a point."""
    if isinstance(value, bool):
        return layout.YES if value else layout.NO
    return f"{value + 0.0:g}" if isinstance(value, float) else str(value).strip()


def plain(text: Any) -> str:
    """A text without what a spreadsheet may do to its white space."""
    return " ".join(RETURNS.sub(" ", str(text)).split())
