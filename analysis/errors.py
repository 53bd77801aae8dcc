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


class UnknownScale(AppError):
    code = "result.unknown_scale"
    status = 404
    sentence = sentence("This experiment has no scale called '{scale}'. Known: {known}.")
