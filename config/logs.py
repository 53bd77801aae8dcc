"""Log records without secrets: invitation links, tokens and keys are hidden before any handler sees them.

A record is masked as it is made, in every logger of the process (Django's, gunicorn's, Celery's), because a person who
adds a handler or reads an error report should not have to think of it.
"""

import json
import logging
import re
import traceback
from datetime import UTC, datetime
from typing import Any

HIDDEN = "[hidden]"
SECRETS = [
    # What follows in an address is a secret by itself: invitations, resumed visits, sounds, links to choose a password.
    (re.compile(r"(/(?:join|resume|media|set-password)/)[^/\s?#\"']+"), rf"\1{HIDDEN}"),
    # A part of an address that looks drawn by chance: long, with capital and small letters.
    (re.compile(r"(?<=/)(?=[\w-]*[A-Z])(?=[\w-]*[a-z])[\w-]{20,}(?=[/?#\s\"']|$)"), HIDDEN),
    # Whom a recruiting platform has sent, receipts, one-time words.
    (re.compile(r"(/[^\s?\"']*\?)[^\s\"']+"), rf"\1{HIDDEN}"),
    (re.compile(r"\bearmark_[\w-]{16,}"), f"earmark_{HIDDEN}"),
    (re.compile(r"((?:earmark|earmark-csrf|session_key)\)?=\(?)[^\s;)\"']+"), rf"\1{HIDDEN}"),
]


def mask(text: str) -> str:
    for pattern, replacement in SECRETS:
        text = pattern.sub(replacement, text)
    return text


class MaskedRecord(logging.LogRecord):
    """A record whose message and traceback hold no secrets."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.exc_info and self.exc_info[0]:
            self.exc_text = mask("".join(traceback.format_exception(*self.exc_info)).rstrip())

    def getMessage(self) -> str:  # noqa: N802 - the name is logging's
        return mask(super().getMessage())


class JsonLines(logging.Formatter):
    """One JSON object a line, for programs that collect logs."""

    def format(self, record: logging.LogRecord) -> str:
        told = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            "process": record.process,
        }
        for name in ("job", "job_id", "seconds"):
            if hasattr(record, name):
                told[name] = getattr(record, name)
        if record.exc_text:
            told["exception"] = record.exc_text
        return json.dumps(told, ensure_ascii=False, default=str)


def install() -> None:
    logging.setLogRecordFactory(MaskedRecord)
