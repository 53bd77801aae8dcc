"""Matching of an uploaded regular expression in a subprocess, because a match can take for ever."""

import json
import subprocess
import sys
from collections.abc import Sequence

LONGEST_S = 3.0
# Without the packages of the site it starts in a few hundredths of a second.
PROGRAM = """
import json, re, sys
pattern, texts = json.load(sys.stdin)
try:
    found = [re.search(pattern, text) for text in texts]
except (re.error, RecursionError, OverflowError):
    sys.exit(3)
parts = [(one.groupdict().values() or one.groups()) if one else () for one in found]
json.dump([[part for part in some if part] for some in parts], sys.stdout)
"""


class NoPattern(Exception):
    """What was given is no regular expression."""


def groups_in(texts: Sequence[str], pattern: str, *, longest_s: float = LONGEST_S) -> list[list[str]]:
    """What the groups of the pattern find in each text; named groups alone, if there are any.

    Raises NoPattern, or TimeoutError where it takes too long.
    """
    try:
        done = subprocess.run(  # noqa: S603 - a fixed command line
            [sys.executable, "-I", "-S", "-c", PROGRAM],
            input=json.dumps([pattern, list(texts)]).encode(),
            capture_output=True,
            timeout=longest_s,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise TimeoutError from None
    if done.returncode:
        raise NoPattern
    found: list[list[str]] = json.loads(done.stdout)
    return found
