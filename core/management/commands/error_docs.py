"""Generated docs/errors.md: code, status and message of every error that the code raises."""

import ast
import re
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from string import Formatter
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

APPS = ("analysis", "audio", "config", "core", "listening", "protocols", "rating", "stimuli")
PAGE = "docs/errors.md"
MARKS = {"_", "gettext_noop"}
CODE = re.compile(r"[a-z_]+(\.[a-z_]+)*")
ROW = re.compile(r"^\| `([^`]+)` \|(?: .*? \|){2} (.*) \|$", re.MULTILINE)
# audio.errors knows no HTTP; stimuli/sandbox.py gives its errors a status, and a test compares.
AUDIO_STATUS, AUDIO_STATUSES = 422, {"sound.position_outside": 416}

# Title, introduction, and the codes by what stands before the dot.
SECTIONS = [
    (
        "Any request",
        "Errors of any address. After a 503 nothing was stored; `Retry-After` says when to send the same again.",
        "request not_found server backup",
    ),
    ("Signing in", "Accounts, second factors, API tokens and permissions.", "auth token account permission"),
    (
        "Experiments",
        "Making an experiment, its options, labels, checks and states.",
        "experiment experiment_file plan analysis_plan label_set checks",
    ),
    ("Designs", "Subsets of items, orders, extensions, and files of sequences.", "design subsets extension"),
    ("Simulations", "Copies of an experiment for simulated listeners.", "simulation"),
    (
        "Panels and seats",
        "Panels, seats, their links, paper and workbooks.",
        "panel seat session_settings monitor_alert preview paper workbook",
    ),
    (
        "Questionnaires",
        "Questions before and after the clips, and the screening before consent.",
        "questions screening",
    ),
    (
        "Collections and imports",
        "What keeps files from becoming stimuli.",
        "collection stimulus import archive table project",
    ),
    ("Uploads", "Resumable uploads (tus 1.0.0). After 423, 503 and 507, `Retry-After` says when to go on.", "upload"),
    (
        "Sound",
        "Files that cannot be decoded, levels, clocks, and delivery of sound and pictures.",
        "sound level levels recording clock",
    ),
    ("Taking part", "Links, consent, sound checks, media and votes.", "invitation consent setup visit media vote"),
    (
        "Results",
        "Analysis, exclusions, downloads, reports, PDF, datasets, tables of votes and metrics.",
        "result report pdf model votes exclusion metrics dataset download",
    ),
]
COLUMNS = "| code | status | message | notes |\n|---|---|---|---|\n"
PROTOCOLS = ("Protocols", "Errors that belong to one protocol: its analysis, its commands.")


@dataclass(frozen=True)
class Raised:
    """An error as the source raises it."""

    code: str
    status: int
    message: str
    place: str  # path:line
    given: frozenset[str] | None  # names of its data; None where they are passed on as **data


def collect_errors(root: Path) -> list[Raised]:
    """Every error of the apps: calls of AppError with a code, its classes, and the classes of the audio library."""
    found: list[Raised] = []
    for app in APPS:
        for path in sorted((root / app).rglob("*.py")):
            found += find_errors(path.read_text(encoding="utf-8"), path.relative_to(root).as_posix())
    return found


def find_errors(source: str, path: str) -> Iterator[Raised]:
    if "AppError" not in source and "AudioError" not in source:
        return
    for node in ast.walk(ast.parse(source)):
        match node:
            # Without a literal code it is an error that was built elsewhere and is built again.
            case ast.Call(func=ast.Name(id="AppError"), args=[ast.Constant(), *_]):
                yield _raised(node, path)
            case ast.ClassDef(bases=[ast.Name(id="AppError")]):
                for inner in ast.walk(node):
                    if isinstance(inner, ast.Call) and ast.unparse(inner.func) == "super().__init__":
                        yield _raised(inner, path)
            case ast.ClassDef(bases=[ast.Name(id="AudioError")]):
                fields = {ast.unparse(one.targets[0]): one.value for one in node.body if isinstance(one, ast.Assign)}
                code = str(ast.literal_eval(fields["code"]))
                status = AUDIO_STATUSES.get(code, AUDIO_STATUS)
                yield Raised(code, status, _text(fields["message"]), f"{path}:{node.lineno}", None)


def _raised(call: ast.Call, path: str) -> Raised:
    code, status, message = call.args[:3]
    names = [keyword.arg for keyword in call.keywords]
    given = None if None in names else frozenset(name for name in names if name)
    return Raised(ast.literal_eval(code), ast.literal_eval(status), _text(message), f"{path}:{call.lineno}", given)


def _text(node: ast.expr) -> str:
    """The text of a message that is marked for translation; empty where it is not a plain marked string."""
    match node:
        case ast.Call(func=ast.Name(id=name), args=[ast.Constant(value=str() as text)]) if name in MARKS:
            return text
    return ""


def problems(errors: Iterable[Raised]) -> Iterator[str]:
    """What is wrong with the errors, each with its place."""
    seen: dict[str, str] = {}
    for error in errors:
        if not CODE.fullmatch(error.code) or not 400 <= error.status < 600:
            yield f"{error.place}: '{error.code}' is no code, or {error.status} no status of an error"
        if error.code in seen:
            yield f"{error.place}: {error.code} is raised at {seen[error.code]} too; let one function build it"
        seen[error.code] = error.place
        if not re.fullmatch(r"[A-Z'{].*[.}]", error.message, re.DOTALL):
            yield f"{error.place}: the message of {error.code} is no whole sentence that is marked for translation"
        if error.given is not None and (missing := places(error.message) - error.given):
            yield f"{error.place}: {error.code} is raised without {', '.join(sorted(missing))}"
        if not section_of(error):
            yield f"{error.place}: {error.code} belongs to no section; name its first part in SECTIONS"


def places(message: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(message) if name is not None}


def section_of(error: Raised) -> str:
    if error.place.startswith("protocols/"):
        return PROTOCOLS[0]
    first = error.code.partition(".")[0]
    return next((title for title, _, names in SECTIONS if first in names.split()), "")


def written_page(errors: Iterable[Raised], known: str) -> str:
    """The page anew; what stands before its first section and the notes are kept from the page as it is."""
    head, notes = known.partition("## ")[0], {code: note.strip() for code, note in ROW.findall(known)}
    by_section: dict[str, list[Raised]] = {}
    for error in sorted(errors, key=lambda one: one.code):
        by_section.setdefault(section_of(error), []).append(error)
    parts = []
    for title, introduction in [*((title, text) for title, text, _ in SECTIONS), PROTOCOLS]:
        rows = [_row(error, notes.get(error.code, "")) for error in by_section.get(title, [])]
        parts.append(f"## {title}\n\n{introduction}\n\n{COLUMNS}{''.join(rows)}")
    return head + "\n".join(parts)


def _row(error: Raised, note: str) -> str:
    message = (
        re.sub(r"\{(\w+):[^}]*\}", r"{\1}", error.message).replace("{{", "{").replace("}}", "}").replace("|", "\\|")
    )
    return f"| `{error.code}` | {error.status} | {message} | {note} |\n"


class Command(BaseCommand):
    help = "Write docs/errors.md from the errors that the code raises; notes are kept."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--check", action="store_true", help="Write nothing; fail if the page is not up to date.")

    def handle(self, *args: Any, **options: Any) -> None:
        root = Path(settings.BASE_DIR)
        page, errors = root / PAGE, collect_errors(root)
        if found := list(problems(errors)):
            raise CommandError("\n".join(found))
        known = page.read_text(encoding="utf-8")
        written = written_page(errors, known)
        if options["check"] and written != known:
            raise CommandError(f"{PAGE} is not up to date; run ./earmark manage error_docs")
        if written != known:
            page.write_text(written, encoding="utf-8")
        self.stdout.write(f"{PAGE}: {len(errors)} errors")
