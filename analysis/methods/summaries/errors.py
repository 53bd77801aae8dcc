"""What the evaluation of summaries refuses, and how it says so."""

from collections.abc import Sequence

from core.clauses import Clause, clause
from core.errors import AppError, sentence

MOST_KEPT = 100


class SummariesUnreadable(AppError):
    code = "summaries.unreadable"
    status = 422
    sentence = sentence("'{file}' cannot be read: {problem}. Give one JSON object in UTF-8, with a list 'utterances'.")


class SummariesUnfit(AppError):
    code = "summaries.unfit"
    status = 422
    sentence = sentence("'{file}' cannot be evaluated: {problems}. Nothing was computed.")

    @classmethod
    def listing(cls, file: str, problems: Sequence[Clause]) -> "SummariesUnfit":
        """Name the first problem in the sentence, and all of them, up to a limit, in the data."""
        first, *others = problems
        said = clause("{first}; and {count} more", first=first, count=len(others)) if others else first
        return cls(file=file, problems=said, count=len(problems), rows=[str(row) for row in problems[:MOST_KEPT]])
