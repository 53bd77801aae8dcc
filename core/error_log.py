"""Log of the last errors: one line for each in a small file of the data folder, for the page Service, *Health*.

A line says when, where and what kind, and nothing of what the error was about: no message with its data, no address.
"""

import json
import logging
import os
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
LARGEST_BYTES = 256 * 1024  # then the file makes way for a new one; the last one is kept


class ErrorLogHandler(logging.Handler):
    """Writes a line for each error. Lines of several processes do not mix: each is one write at the end of the file."""

    def __init__(self, path: str | Path) -> None:
        super().__init__(logging.ERROR)
        self.path = Path(path)

    def emit(self, record: logging.LogRecord) -> None:
        try:
            line = json.dumps(_entry(record)).encode() + b"\n"
            descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                os.write(descriptor, line)
                is_full = os.fstat(descriptor).st_size > LARGEST_BYTES
            finally:
                os.close(descriptor)
            if is_full:
                self.path.replace(_earlier(self.path))
        except Exception:  # a full disk must not turn one error into two; the line stands in the other log
            return


@dataclass(frozen=True)
class ErrorKind:
    """Errors of one kind at one place."""

    what: str
    place: str
    where: str  # the page or the job
    count: int
    first: datetime
    last: datetime


def recent_errors(path: Path, *, most: int = 20) -> list[ErrorKind]:
    """The last errors, the newest kind first, however many times each was met."""
    found: dict[tuple[str, str, str], list[datetime]] = {}
    for entry in _entries(path):
        try:
            kind = (str(entry["what"]), str(entry["place"]), str(entry["where"]))
            found.setdefault(kind, []).append(datetime.fromisoformat(entry["at"]))
        except (KeyError, TypeError, ValueError):
            continue  # half a line, of a process that was killed
    kinds = [ErrorKind(*kind, count=len(times), first=min(times), last=max(times)) for kind, times in found.items()]
    return sorted(kinds, key=lambda kind: kind.last, reverse=True)[:most]


def _entries(path: Path) -> list[Any]:
    lines = [line for each in (_earlier(path), path) if each.exists() for line in each.read_bytes().splitlines()]
    entries = []
    for line in lines:
        try:
            entries.append(json.loads(line))
        except ValueError:
            continue
    return entries


def _earlier(path: Path) -> Path:
    return path.with_name(f"{path.name}.1")


def _entry(record: logging.LogRecord) -> dict[str, str]:
    error = record.exc_info[0] if record.exc_info else None
    trace = record.exc_info[2] if record.exc_info else None
    match = getattr(getattr(record, "request", None), "resolver_match", None)
    return {
        "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="seconds"),
        "what": error.__name__ if error else str(record.msg).replace("%s", "..."),
        "place": _place(trace) or f"{_relative(record.pathname)}:{record.lineno}",
        "where": str(getattr(record, "job", "") or getattr(match, "view_name", "") or record.name),
    }


def _place(trace: TracebackType | None) -> str:
    """The innermost line of Earmark's own code in a traceback, else the innermost of all."""
    lines = []
    while trace is not None:
        code = trace.tb_frame.f_code
        lines.append((code.co_filename, f"{_relative(code.co_filename)}:{trace.tb_lineno} {code.co_name}"))
        trace = trace.tb_next
    own = [place for name, place in lines if _is_own(name)]
    return own[-1] if own else lines[-1][1] if lines else ""


def _is_own(name: str) -> bool:
    path = Path(name)
    return path.is_relative_to(ROOT) and "site-packages" not in path.parts


def _relative(name: str) -> str:
    """Without the folders of this machine."""
    return Path(name).relative_to(ROOT).as_posix() if _is_own(name) else Path(name).name
