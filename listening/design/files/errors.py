"""What is refused of a file of sequences, and how it says so."""

from collections.abc import Sequence

from core.clauses import Clause, clause
from core.errors import AppError, sentence

MOST_KEPT = 100  # problems that a error lists in its data; its sentence names three


class DesignFileUnreadable(AppError):
    code = "design.file_unreadable"
    status = 422
    sentence = sentence("'{name}' cannot be read as a seat's sequence: {problem}.")


class DesignRowsRefused(AppError):
    code = "design.rows_refused"
    status = 422
    sentence = sentence("'{name}' is no sequence for this experiment: {problems}. Nothing was imported.")

    @classmethod
    def listing(cls, name: str, problems: Sequence[Clause]) -> "DesignRowsRefused":
        """Name the first problems in the sentence, and all of them, up to a limit, in the data."""
        rows = [str(problem) for problem in problems[:MOST_KEPT]]
        return cls(name=name, problems=_together(problems), count=len(problems), rows=rows)


def _together(problems: Sequence[Clause]) -> Clause:
    match problems:
        case [one]:
            return one
        case [one, two]:
            return clause("{one}; {two}", one=one, two=two)
        case [one, two, three]:
            return clause("{one}; {two}; {three}", one=one, two=two, three=three)
    one, two, three, *rest = problems
    return clause("{one}; {two}; {three}; and {count} more", one=one, two=two, three=three, count=len(rest))
