"""Analysis of a table of votes that a person uploads: computed in the sandbox, and kept nowhere."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from django.utils.translation import gettext as _

from audio.sandbox.client import Limits
from core.i18n import translate_messages
from stimuli.sandbox import SandboxFailure, run_sandboxed

WORK = "analysis.votes_table.sandboxed:analyse_file"
LIMITS = Limits(cpu_s=60, memory_bytes=1024 * 2**20, wall_s=100, result_bytes=32 * 2**20)

# The field that an error of the table is shown beside; every other one stands beside the file.
FIELDS = {
    "votes.listener_unknown": "exclude",
    "votes.all_excluded": "exclude",
    "votes.scale_unknown": "ranges",
    "votes.factor_unknown": "factors",
    "votes.not_categories": "ci_method",
    "model.unknown_condition": "reference",
    "model.margin": "margin",
}


@dataclass(frozen=True)
class AnalysedTable:
    """Figures as in analysis.json and all files as a zip; or the problem of the table, in the reader's language."""

    problem: str = ""
    beside: str = "file"  # the field of the form that the problem is about
    found: dict[str, Any] | None = None
    tables: Mapping[str, Any] = field(default_factory=dict)  # rows by name, as an experiment's results have them
    warnings: tuple[str, ...] = ()
    archive: bytes = b""


def analyse_table(*, file: BinaryIO, name: str, metrics: Any = None, **options: Any) -> AnalysedTable:
    """`metrics` is a second uploaded file; options are those of the command."""
    files = (file, metrics.file) if metrics else (file,)
    names = {"name": name, "metrics_name": metrics.name if metrics else ""}
    try:
        outcome = run_sandboxed(WORK, *files, limits=LIMITS, **names, **options)
    except SandboxFailure:
        return AnalysedTable(
            _("This table takes more time or memory than a page may use. Analyse it with manage.py analyse_votes.")
        )
    facts = outcome.facts
    if "problem" in facts:
        beside = "metrics" if facts["of"] == "metrics" else FIELDS.get(facts["code"], "file")
        return AnalysedTable(_text(facts["problem"]), beside)
    return AnalysedTable(
        found=facts["found"],
        tables=facts["tables"],
        warnings=tuple(map(_text, facts["warnings"])),
        archive=outcome.blobs["zip"],
    )


def _text(packed: dict[str, Any]) -> str:
    return str(translate_messages(packed, _)["text"])
