"""Rows of what is heard, by noun."""

from stimuli.models.collections import Collection, Condition, Item, Stimulus
from stimuli.models.intakes import Intake, IntakeFile
from stimuli.models.recordings import Chunk, Recording

__all__ = ["Chunk", "Collection", "Condition", "Intake", "IntakeFile", "Item", "Recording", "Stimulus"]
