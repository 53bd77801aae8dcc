"""What stimuli refuses, and how it says so, by noun."""

from stimuli.errors import intake, uploads
from stimuli.errors.collections import CollectionNotFound, StimulusNotFound

__all__ = ["CollectionNotFound", "StimulusNotFound", "intake", "uploads"]
