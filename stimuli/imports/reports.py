"""Import report: findings with severity and message, and counts."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

from audio.quality_checks import Severity
from core.errors import AppError
from core.i18n import LazyMessage, pack_messages

# An error means that nothing is imported.
GRAVITY = {severity: number for number, severity in enumerate(Severity)}


@dataclass(frozen=True)
class Finding:
    """One finding. The message is marked for translation; the data fills it."""

    severity: Severity
    sentence: str
    data: Mapping[str, Any] = field(default_factory=dict)
    path: str = ""
    files: tuple[str, ...] = ()  # the files that it is about, as far as one of them could be left out or replaced

    def __str__(self) -> str:
        return self.sentence.format(**self.data)

    def to_json(self) -> dict[str, Any]:
        """The English sentence for programs and logs; `msgid` and `data` for translation."""
        return {
            "severity": self.severity.value,
            "sentence": str(self),
            "msgid": self.sentence,
            "data": pack_messages(self.data),
            "path": self.path,
            "files": list(self.files),
        }


def finding_of_error(problem: AppError, path: str = "") -> Finding:
    """An error as one finding among others, so that all of them can be told at once."""
    return Finding(Severity.ERROR, problem.message, problem.data, path)


@dataclass
class Report:
    """Findings and counts of an import."""

    findings: list[Finding] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    probed: int = 0  # files that this check decoded
    reused: int = 0  # files whose result was kept from an earlier check

    def add(self, severity: Severity, sentence: str, path: str = "", /, **data: Any) -> None:
        self.findings.append(Finding(severity, sentence, data, path))

    def error(self, sentence: str, path: str = "", /, **data: Any) -> None:
        self.add(Severity.ERROR, sentence, path, **data)

    def warn(self, sentence: str, path: str = "", /, **data: Any) -> None:
        self.add(Severity.WARNING, sentence, path, **data)

    def note(self, sentence: str, path: str = "", /, **data: Any) -> None:
        self.add(Severity.NOTE, sentence, path, **data)

    def reject(self, problem: AppError, path: str = "") -> None:
        self.findings.append(finding_of_error(problem, path))

    def name_files(self, files: Mapping[str, str]) -> None:
        """Fill in the file of each finding by the path or the cell that it names."""
        self.findings = [
            replace(finding, files=(files[finding.path],)) if not finding.files and finding.path in files else finding
            for finding in self.findings
        ]

    @property
    def errors(self) -> list[Finding]:
        return [finding for finding in self.findings if finding.severity is Severity.ERROR]

    def to_json(self) -> dict[str, Any]:
        ordered = sorted(self.findings, key=lambda finding: GRAVITY[finding.severity])
        by_severity = Counter(finding.severity.value for finding in ordered)
        return {
            "counts": {**self.counts, "warnings": by_severity["warning"]},
            "errors": by_severity["error"],
            "findings": [finding.to_json() for finding in ordered],
            "probes": {"probed": self.probed, "reused": self.reused},
        }

    @classmethod
    def from_json(cls, facts: dict[str, Any]) -> Self:
        findings = [
            Finding(Severity(found["severity"]), found["msgid"], found["data"], found["path"], tuple(found["files"]))
            for found in facts["findings"]
        ]
        counts = {name: count for name, count in facts["counts"].items() if name != "warnings"}
        return cls(findings, counts, **facts["probes"])


def some(names: Iterable[str], most: int = 5) -> str:
    """The first few of many names, as a sentence can hold them."""
    known = list(names)
    shown = ", ".join(known[:most])
    return LazyMessage("{names} and {count} more", names=shown, count=len(known) - most) if len(known) > most else shown
