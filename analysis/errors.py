"""What analysis refuses, and how it says so."""

from core.errors import AppError
from core.i18n import gettext_noop as _


class UnknownMethod(AppError):
    code = "result.unknown_method"
    status = 404
    sentence = _("There is no analysis method called '{slug}' for this experiment. Known: {known}.")


class UnknownFile(AppError):
    code = "result.unknown_file"
    status = 404
    sentence = _("This method has no file called '{name}'. Known: {known}.")


class ResultNotComputed(AppError):
    code = "result.not_computed"
    status = 409
    sentence = _("These results have not been computed yet; they are being computed now. Try again in a minute.")


class NoAnswers(AppError):
    code = "result.no_answers"
    status = 409
    sentence = _("There are no answers yet from which these results could be computed.")


class UnknownScale(AppError):
    code = "result.unknown_scale"
    status = 404
    sentence = _("This experiment has no scale called '{scale}'. Known: {known}.")
