"""Errors of the evaluation of chapters."""

from core.errors import AppError
from core.i18n import gettext_noop as _


class ChaptersUnreadable(AppError):
    code = "chapters.unreadable"
    status = 422
    sentence = _("'{file}' cannot be evaluated. Problems: {count}. The first is in {first}.")


class ChaptersOptionUnfit(AppError):
    code = "chapters.option"
    status = 422
    sentence = _("{option} cannot be '{value}'. {remedy}")


class ChaptersNotPaired(AppError):
    code = "chapters.not_paired"
    status = 422
    sentence = _(
        "'{file}' is not about the same items as '{first}': {problem}. "
        "Give the same recordings in the same order, with the same references and durations."
    )


class BertScoreMissing(AppError):
    code = "chapters.bertscore"
    status = 422
    sentence = _(
        "BERTScore cannot be computed: {problem}. Install the Python package bert-score beside Earmark, on a machine "
        "that has its language model or can fetch it; or ask for titles without BERTScore: ROUGE-L needs neither."
    )
