"""Refusals of collections."""

from core.errors import AppError, sentence


class CollectionNotFound(AppError):
    code = "collection.not_found"
    status = 404
    sentence = sentence("There is no collection '{slug}' among those you may see.")


class StimulusNotFound(AppError):
    code = "stimulus.not_found"
    status = 404
    sentence = sentence("There is no such stimulus in this collection.")
