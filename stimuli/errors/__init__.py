"""What stimuli refuses, and how it says so, by noun."""

from audio.errors import EmptyAudio, NotAudio
from stimuli.errors import intake, uploads
from stimuli.errors.collections import CollectionNotFound, StimulusNotFound

__all__ = ["CollectionNotFound", "EmptyAudio", "NotAudio", "StimulusNotFound", "intake", "uploads"]
