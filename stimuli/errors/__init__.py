"""What stimuli refuses, and how it says so, by noun."""

from stimuli.errors import intake, sound, uploads
from stimuli.errors.collections import CollectionNotFound, StimulusNotFound
from stimuli.errors.sound import EmptyAudio, NotAudio

__all__ = ["CollectionNotFound", "EmptyAudio", "NotAudio", "StimulusNotFound", "intake", "sound", "uploads"]
