"""Refusals of corrections to the clock of a recording."""

from core.errors import AppError, sentence


class ClockRefused(AppError):
    code = "clock.refused"
    status = 422
    sentence = sentence("The clock was not changed: {problem}.")


class ClockNotYours(AppError):
    code = "clock.not_yours"
    status = 403
    sentence = sentence("Only {owner}, who owns the collection, can correct the clock of its recordings; ask them.")
