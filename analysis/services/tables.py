"""Analysis of a table of votes that a person uploads: computed in the sandbox, and kept nowhere."""

from dataclasses import dataclass
from typing import Any, BinaryIO

from django.utils.translation import gettext as _

from audio.sandbox.client import Limits
from core.i18n import translate_messages
from stimuli.sandbox import SandboxFailure, run_sandboxed

WORK = "analysis.votes_table.sandboxed:analyse_file"
FIELDS = {"model.unknown_condition": "reference"}
LIMITS = Limits(cpu_s=60, memory_bytes=1024 * 2**20, wall_s=100, result_bytes=32 * 2**20)


@dataclass(frozen=True)
class AnalysedTable:
    """Figures as in analysis.json and all files as a zip; or the problem of the table, in the reader's language."""

    problem: str = ""
    field: str = "file"  # of the form, in which the problem is
    found: dict[str, Any] | None = None
    warnings: tuple[str, ...] = ()
    archive: bytes = b""


def analyse_table(*, file: BinaryIO, name: str, exclude: list[str], **options: Any) -> AnalysedTable:
    """The options are those of analysis.votes_table.figures."""
    try:
        outcome = run_sandboxed(WORK, file, name=name, limits=LIMITS, exclude=exclude, **options)
    except SandboxFailure:
        return AnalysedTable(
            _("This table takes more time or memory than a page may use. Analyse it with manage.py analyse_votes.")
        )
    facts = outcome.facts
    if "problem" in facts:
        return AnalysedTable(_text(facts["problem"]), FIELDS.get(facts["code"], "file"))
    return AnalysedTable(
        found=facts["found"], warnings=tuple(map(_text, facts["warnings"])), archive=outcome.blobs["zip"]
    )


def _text(packed: dict[str, Any]) -> str:
    return str(translate_messages(packed, _)["text"])
