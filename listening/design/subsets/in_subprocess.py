"""Planning of subsets in a subprocess, because the solver is too heavy to stay in a web process or a worker."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from core.errors import AppError
from core.i18n import gettext_noop as _
from listening.design.base import Sample
from listening.design.subsets.planning import SubsetPlan, plan_subsets

ROOT = Path(__file__).parents[3]
LONGEST_S = 40  # a web server gives up on a request after 60
LONGEST_IN_BACKGROUND_S = 1800


def plan_subsets_in_subprocess(
    samples: Sequence[Sample],
    *,
    factors: Sequence[str],
    subsets: int,
    size: int,
    seed: str,
    longest_s: float = LONGEST_S,
) -> SubsetPlan:
    """The same as plan_subsets, with the same errors, and one more when it takes too long."""
    question = {
        "samples": [[sample.name, dict(sample.factors)] for sample in samples],
        "factors": list(factors),
        "subsets": subsets,
        "size": size,
        "seed": seed,
    }
    try:
        done = subprocess.run(  # noqa: S603 - a fixed command line
            [sys.executable, "-m", __name__],
            input=json.dumps(question).encode(),
            capture_output=True,
            cwd=ROOT,
            timeout=longest_s,
            check=True,
        )
    except subprocess.TimeoutExpired:
        raise _too_long(len(samples), longest_s) from None
    answer = json.loads(done.stdout)
    if "error" in answer:
        raise AppError(*answer["error"], **answer["data"])
    return SubsetPlan(**answer | {"subsets": tuple(map(tuple, answer["subsets"]))})


def _too_long(items: int, seconds: float) -> AppError:
    return AppError(
        "design.too_long",
        503,
        _(
            "Balancing {items} items took longer than {seconds} s. Choose fewer factors, or use generate_design, "
            "which may take its time."
        ),
        items=items,
        seconds=seconds,
    )


def _answer(question: dict[str, Any]) -> dict[str, Any]:
    samples = [Sample(name, factors) for name, factors in question.pop("samples")]
    try:
        return plan_subsets(samples, **question).to_json()
    except AppError as error:
        return {"error": [error.code, error.status, error.message], "data": error.data}


def main() -> None:
    """Answer on standard output, which the solver sometimes writes to as well: meanwhile that goes to the errors."""
    answer_to = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    with os.fdopen(answer_to, "w") as file:
        json.dump(_answer(json.load(sys.stdin)), file)


if __name__ == "__main__":
    main()
