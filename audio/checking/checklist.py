"""What a check of a collection looks at, and each thing that it may find: how bad it is, and what would be right."""

from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from audio.facts import Measures, Shape
from core.errors import sentence


class Severity(StrEnum):
    """From what makes a test impossible to what is only worth knowing."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True)
class Cell:
    """One place of the matrix items x conditions, with what is known of the sound in it."""

    item: str
    condition: str
    role: str  # test, reference, anchor or full-length
    shape: Shape | None  # None for a text
    measures: Measures | None  # None until they are known
    sha256: str
    byte_count: int = 0

    @property
    def duration_s(self) -> float:
        return self.shape.length_samples / self.shape.sample_rate_hz if self.shape else 0.0


@dataclass(frozen=True)
class Options:
    """What is asked of the sounds. A limit of None is not checked."""

    target_lufs: float | None = None
    level_tolerance_lu: float = 0.5
    highest_true_peak_dbtp: float = -1.0  # EBU R 128
    largest_dc_offset: float = 0.005
    longest_end_silence_s: float = 1.0
    longest_gap_s: float = 2.0
    shortest_s: float | None = None
    longest_s: float | None = None
    length_tolerance_s: float = 0.02


@dataclass(frozen=True)
class SoundFinding:
    """One thing that was found; no item or no condition where it concerns all of them."""

    code: str
    severity: Severity
    sentence: str  # to be translated, then filled with the data
    data: dict[str, Any] = field(default_factory=dict)
    item: str = ""
    condition: str = ""

    def __str__(self) -> str:
        return self.say(self.sentence)

    def say(self, sentence: str) -> str:
        """Fill a (translated) sentence with this finding's data."""
        return sentence.format(**self.data)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


KINDS = {
    "cell.missing": (
        Severity.ERROR,
        sentence("There is no sound here. Add it, or take the item out."),
    ),
    "cell.missing_beside": (
        Severity.WARNING,
        sentence("There is no sound here, though other items have one. Add it if it is to be heard."),
    ),
    "sound.silent": (
        Severity.ERROR,
        sentence("There is nothing to hear: no sample is above -60 dBFS. Export the sound again."),
    ),
    "sound.short": (
        Severity.ERROR,
        sentence("It lasts {duration_s:.2f} s; at least {shortest_s:g} s are asked for."),
    ),
    "sound.long": (
        Severity.ERROR,
        sentence("It lasts {duration_s:.2f} s; at most {longest_s:g} s are asked for."),
    ),
    "cell.identical": (
        Severity.WARNING,
        sentence("{conditions} hold the same file. Listeners would compare a sound with itself; check the export."),
    ),
    "cell.repeated": (
        Severity.WARNING,
        sentence("The same file stands under other items too: {items}. Each item should be heard under its own name."),
    ),
    "item.rates_differ": (
        Severity.WARNING,
        sentence("The conditions have different sample rates: {values}. Convert them to one rate."),
    ),
    "item.channels_differ": (
        Severity.WARNING,
        sentence("The conditions have different numbers of channels: {values}. Give all of them as many."),
    ),
    "item.lengths_differ": (
        Severity.WARNING,
        sentence(
            "{shortest} lasts {shortest_s:.3f} s and {longest} {longest_s:.3f} s. "
            "Cut the conditions to the same length; they may also be shifted against each other."
        ),
    ),
    "item.codings_differ": (
        Severity.WARNING,
        sentence(
            "The summaries are coded differently: {values}. So that this gives none of them away, listeners get all of "
            "them without loss, at many times the bytes. Give all of them in one format and bit rate."
        ),
    ),
    "level.spread": (
        Severity.WARNING,
        sentence(
            "{quietest} has {quietest_lufs:.1f} LUFS and {loudest} {loudest_lufs:.1f} LUFS. "
            "Unless level is under test, bring the conditions to the same level."
        ),
    ),
    "level.off_target": (
        Severity.WARNING,
        sentence("It has {integrated_lufs:.1f} LUFS; {target_lufs:g} LUFS within {tolerance_lu:g} LU are asked for."),
    ),
    "collection.depths_differ": (
        Severity.WARNING,
        sentence(
            "The collection has different bit depths: {values}. So that this gives no condition away, listeners get "
            "every clip with {lowest} bits; those with more are dithered. Export all conditions with one depth."
        ),
    ),
    "sound.clipped": (
        Severity.WARNING,
        sentence("{clipped_samples} samples are clipped. Record or export it at a lower level."),
    ),
    "sound.true_peak": (
        Severity.WARNING,
        sentence("The true peak is {true_peak_dbtp:.1f} dBTP; {highest_dbtp:g} dBTP or less is safe from clipping."),
    ),
    "sound.silent_start": (
        Severity.WARNING,
        sentence("It begins with {silence_s:.2f} s of silence. Cut it to {longest_s:g} s or less."),
    ),
    "sound.silent_end": (
        Severity.WARNING,
        sentence("It ends with {silence_s:.2f} s of silence. Cut it to {longest_s:g} s or less."),
    ),
    "sound.dc_offset": (
        Severity.WARNING,
        sentence("Its mean is {offset_percent:.1f} percent of full scale away from zero. Remove the DC offset."),
    ),
    "sound.gap": (
        Severity.NOTE,
        sentence("It is silent for {silence_s:.2f} s inside. Check that nothing is missing there."),
    ),
    "level.unmeasured": (
        Severity.NOTE,
        sentence("It is too short or too quiet to have a loudness; its level was not checked."),
    ),
    "collection.rates_differ": (
        Severity.NOTE,
        sentence("The collection has different sample rates: {values}. One rate for all is safer to compare."),
    ),
    "collection.channels_differ": (
        Severity.NOTE,
        sentence("The collection has different numbers of channels: {values}. The same for all is safer to compare."),
    ),
}


def finding(code: str, item: str = "", condition: str = "", **data: Any) -> SoundFinding:
    severity, text = KINDS[code]
    return SoundFinding(code, severity, text, data, item, condition)
