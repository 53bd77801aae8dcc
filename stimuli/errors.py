"""What stimuli refuses, and how it says so."""

from core.errors import AppError, sentence


class CollectionNotFound(AppError):
    code = "collection.not_found"
    status = 404
    sentence = sentence("There is no collection '{slug}' among those you may see.")


class StimulusNotFound(AppError):
    code = "stimulus.not_found"
    status = 404
    sentence = sentence("There is no such stimulus in this collection.")


class NotAudio(AppError):
    code = "stimulus.not_audio"
    status = 422
    sentence = sentence("'{name}' cannot be read as sound: {problem}. Give a WAV or FLAC file.")


class EmptyAudio(AppError):
    code = "stimulus.empty"
    status = 422
    sentence = sentence("'{name}' holds no sound. Give a file with at least one sample.")
