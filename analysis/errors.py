"""What analysis refuses, and how it says so."""

from core.errors import AppError, sentence


class UnknownMethod(AppError):
    code = "result.unknown_method"
    status = 404
    sentence = sentence("There is no analysis method called '{slug}' for this experiment. Known: {known}.")


class UnknownFile(AppError):
    code = "result.unknown_file"
    status = 404
    sentence = sentence("This method has no file called '{name}'. Known: {known}.")


class ResultNotComputed(AppError):
    code = "result.not_computed"
    status = 409
    sentence = sentence("These results have not been computed yet; they are being computed now. Try again in a minute.")


class NoAnswers(AppError):
    code = "result.no_answers"
    status = 409
    sentence = sentence("There are no answers yet from which these results could be computed.")


class UnknownScale(AppError):
    code = "result.unknown_scale"
    status = 404
    sentence = sentence("This experiment has no scale called '{scale}'. Known: {known}.")
