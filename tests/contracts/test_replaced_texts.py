"""Texts that were replaced because nobody would say them: none comes back, in pages, scripts, errors or demos."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings

ROOT = settings.BASE_DIR
APPS = ("core", "stimuli", "rating", "listening", "analysis", "protocols")
# What listeners read, and then what experimenters and admins read.
REPLACED = """
playings
minutes, about
no place is taken
by the same link
machine babbling
everything together
First the sound
left on left
That did not fit
In which ear was the sound
The level then stays as it is
Kept here (
Not saved: act
sent as soon as it can
do not clear your browser
until the next clip is played
work in any case
It comes again at the end
The server is checking that it holds
if somebody asked you for it
of rest suggested
TC is not linear
only where crosses lie
not to be rated
I have seen it
s of sound ready
free listening in the day
summaries of it of a minute
Closing decides them
until the counter is content
Pick nothing
What is asked is a short version
in an order of their own for you
for what it says being right
Who or what wrote a caption is not told
that it counts twice is meant so
How near the road is remains open
told twice
Stay here
you may go on all the same
Go on without
move the mark until it sits
is no mark
is heard and not seen
begins by itself at 0
stand side by side here

Level a copy
Make it and import
Make the experiment
One row a mark
A column a listener
Share out evenly
Shared out
Only tried so far
Use this design
nothing to complain of
What is short
Whom to invite next
Lead people back to
This page follows by itself
being folded in
Take the picture away
things to know before reading this
Jobs in hand
Lately done
may collect data
Seats and links that were made before go
A colleague finds what you do not
The files are being looked at
Give away
"""
PHRASES = [phrase for phrase in REPLACED.splitlines() if phrase]
# Too short to be looked for inside other sentences: found only as a whole text.
WHOLE_TEXTS = ("This sheet", "It reads", "All rows")


def _sources() -> Iterator[Path]:
    yield from (ROOT / "templates").rglob("*.html")
    for app in APPS:
        yield from (path for kind in ("*.html", "*.py", "*.ts", "docs.md") for path in (ROOT / app).rglob(kind))
    yield from (ROOT / "frontend" / "src").rglob("*.ts")


def texts_in(source: str, suffix: str) -> Iterator[str]:
    """What a source can show: strings of code without its docstrings and comments, and pages as they are."""
    if suffix == ".py":
        tree = ast.parse(source)
        documented = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        strings = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in documented)
        yield from (node.value for node in strings if isinstance(node.value, str))
    elif suffix == ".ts":
        yield from re.findall(r'"([^"\n]+)"', re.sub(r"(?m)^\s*(//|/?\*).*|\s//.*$", "", source))
    else:
        yield re.sub(r"\s+", " ", source)


def replaced_in(source: str, suffix: str) -> list[str]:
    joined = re.sub(r"\s+", " ", re.sub(r'"\s*\n\s*"', "", source))
    if not any(phrase in joined for phrase in (*WHOLE_TEXTS, *PHRASES)):
        return []  # most sources need not be parsed
    texts = list(texts_in(source, suffix))
    whole = [phrase for phrase in WHOLE_TEXTS if phrase in texts or any(f'"{phrase}"' in text for text in texts)]
    return whole + [phrase for phrase in PHRASES if any(phrase in text for text in texts)]


def test_no_replaced_text_is_back() -> None:
    found = {str(path.relative_to(ROOT)): replaced_in(path.read_text("utf-8"), path.suffix) for path in _sources()}
    assert {path: phrases for path, phrases in found.items() if phrases} == {}


@pytest.mark.parametrize(
    ("source", "suffix"),
    [
        ('{% translate "Example, not to be\n rated" %}', ".html"),
        ('CONSENT = (\n    "rate the speech, then everything "\n    "together"\n)', ".py"),
        ('[["?"], gettext("This sheet")],', ".ts"),
        ("- everything together (OVRL)", ".md"),
    ],
)
def test_a_replaced_text_is_found(source: str, suffix: str) -> None:
    assert replaced_in(source, suffix)


@pytest.mark.parametrize(
    ("source", "suffix"),
    [
        ('say(_("This sheet was saved in the meantime."))', ".py"),
        ('"""One row a mark."""', ".py"),
        ("// Which of the playings this is.", ".ts"),
    ],
)
def test_a_longer_sentence_and_a_comment_are_none(source: str, suffix: str) -> None:
    assert replaced_in(source, suffix) == []
