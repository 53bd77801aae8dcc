"""Expected refusals: a code, a sentence that says what is wrong and what would be right, data, and an HTTP status."""

from typing import Any, ClassVar

from core.i18n import Translate, pack_messages, translate_messages
from core.i18n import gettext_noop as _


class AppError(Exception):
    """The base of every refusal a person may read. Subclasses fill in three constants; data fills in the sentence.

    Anything else that is raised is a defect and propagates.
    """

    code: ClassVar[str] = "error"
    status: ClassVar[int] = 400
    retry_after_s: ClassVar[int | None] = None  # where the same request may succeed later, by itself
    sentence: ClassVar[str] = _("The request cannot be carried out.")

    def __init__(self, **data: Any) -> None:
        super().__init__(data)
        self.data = pack_messages(data)

    def __str__(self) -> str:
        return self.sentence.format(**self.data)

    def translate(self, gettext: Translate) -> str:
        """The message in another language."""
        return gettext(self.sentence).format(**translate_messages(self.data, gettext))

    @classmethod
    def every(cls) -> list[type["AppError"]]:
        """List every kind of refusal that is loaded, this one first."""
        return [cls, *(kind for child in cls.__subclasses__() for kind in child.every())]
