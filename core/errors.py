"""Expected errors: a code, an HTTP status, a message that says what is wrong and what would be right, and data.

Most are raised as AppError, with the message where it is raised; where several places raise the same one, a function
of the module that owns it builds it. docs/errors.md lists all of them (`manage.py error_docs` writes it). There is a
class only where code catches the error or where protocols raise it as part of their contract (a class that one
protocol alone catches stands in its folder):

    rating.protocol       InvalidAnswer, OptionUnfit, MaterialUnfit
    rating.errors         KeyReused, SoundNotFetched
    rating                PlanUnfit, QuestionUnfit
    stimuli               TableUnreadable (it crosses the sandbox by its name), SandboxFailure, DiskFull, CellsTaken,
                          ClockUnfit
    listening             PanelFull, OtherGroup, SeatElsewhere, ResumeCodeUnknown, TextChanged, SheetChanged,
                          ScreenedOut, DesignRowsRejected, ExperimentFileRejected

The audio library has classes of its own (audio.errors), which stimuli.sandbox turns into AppErrors.
"""

from typing import Any

from core.i18n import Translate, pack_messages, translate_messages


class AppError(Exception):
    """An error that a person may read. Anything else that is raised is a defect and propagates."""

    def __init__(
        self, code: str, status: int, message: str, /, *, retry_after_s: int | None = None, **data: Any
    ) -> None:
        super().__init__(code, status, message)
        self.code = code
        self.status = status
        self.message = message  # English, marked for translation, with {places} for the data
        self.retry_after_s = retry_after_s  # where the same request may succeed later, by itself
        self.data = pack_messages(data)

    def __str__(self) -> str:
        return self.message.format(**self.data)

    def translate(self, gettext: Translate) -> str:
        """The message in another language."""
        return gettext(self.message).format(**translate_messages(self.data, gettext))
