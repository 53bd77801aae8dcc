"""Options of the analysis of a table as text: ranges of scores, names in a list, and the same options as a command."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

LARGEST = 1e9  # of a score


def parse_range(text: str) -> tuple[str, tuple[float, float]] | None:
    """The scale ("" for all) and its ends, from 1:5 or SIG=1:5; none where it is no range."""
    scale, _, limits = text.rpartition("=")
    low, _, high = limits.partition(":")
    try:
        found = float(low), float(high)
    except ValueError:
        return None
    return (scale.strip(), found) if -LARGEST < found[0] < found[1] < LARGEST else None


def parse_names(text: str) -> list[str]:
    """Names that are separated by commas, each once."""
    return list(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))


def as_command(name: str, options: Mapping[str, Any], *, metrics: str = "") -> str:
    """The command that computes the same, and the ordinal model as well."""
    words = ["manage.py", "analyse_votes", name, "--out", "results", "--ordinal"]
    for option, values in (("--exclude", options["exclude"]), ("--factor", options["factors"])):
        words += [word for value in values for word in (option, value)]
    for scale, (low, high) in options["ranges"].items():
        words += ["--range", f"{f'{scale}=' if scale else ''}{low:g}:{high:g}"]
    usual = {"model": "full", "ci_method": "t", "seed": 0, "reference": "", "margin": None}
    for option, value in usual.items():
        if options[option] != value:
            words += [f"--{option.replace('_', '-')}", str(options[option])]
    if metrics:
        words += ["--metrics", metrics]
    return shlex.join(_apart_from_options(words))


def _apart_from_options(words: Sequence[str]) -> list[str]:
    """A file whose name begins with a hyphen would be taken for an option."""
    return [*words[:2], f"./{words[2]}" if words[2].startswith("-") else words[2], *words[3:]]
