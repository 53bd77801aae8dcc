"""Expected refusals: a code, a sentence that says what is wrong and what would be right, data, and an HTTP status."""

from typing import Any, ClassVar

from core.clauses import Translate, keep_clauses, translated


def sentence(text: str) -> str:
    """Mark a sentence for the translation catalogue; it is translated where it is shown."""
    return text


class AppError(Exception):
    """The base of every refusal a person may read. Subclasses fill in three constants; data fills in the sentence.

    Anything else that is raised is a defect and propagates.
    """

    code: ClassVar[str] = "error"
    status: ClassVar[int] = 400
    retry_after_s: ClassVar[int | None] = None  # where the same request may succeed later, by itself
    sentence: ClassVar[str] = sentence("The request cannot be carried out.")

    def __init__(self, **data: Any) -> None:
        super().__init__(data)
        self.data = keep_clauses(data)

    def __str__(self) -> str:
        return self.say(self.sentence)

    def say(self, sentence: str, translate: Translate | None = None) -> str:
        """Fill a (translated) sentence with this error's data, whose clauses are translated too."""
        return sentence.format(**(translated(self.data, translate) if translate else self.data))

    @classmethod
    def every(cls) -> list[type["AppError"]]:
        """List every kind of refusal that is loaded, this one first."""
        return [cls, *(kind for child in cls.__subclasses__() for kind in child.every())]
