"""Levels that recordings are brought to; light enough for a web process."""

from dataclasses import dataclass

from core.clauses import clause

TRUE_PEAK_LIMIT_DBTP = -1.0  # EBU R 128


@dataclass(frozen=True)
class Preset:
    """A level that others use too."""

    slug: str
    title: str  # to be translated
    target_lufs: float


PRESETS = (
    Preset("udase", clause("UDASE (CHiME-7 listening test)"), -30.0),
    Preset("ebu-r128", "EBU R 128", -23.0),
    # P.56 measures active speech in dBov. For speech, -26 LUFS comes close to its -26 dBov; it is not the same measure.
    Preset("p56", clause("Close to -26 dBov of ITU-T P.56"), -26.0),
)
