"""Analysis plans, as a form, a file or the API gives them: read, or refused with what is wrong."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from core.errors import AppError
from core.i18n import LazyMessage
from core.i18n import gettext_noop as _

Limits = tuple[float, float]
FIELDS = ("scale", "against", "margin", "model", "rules")
LARGEST_MARGIN = 100.0
ALL_PAIRS = ""


@dataclass
class Known:
    """What a plan can name. The app `analysis`, which this one cannot import, fills it in when it is ready."""

    models: tuple[str, ...] = ()
    rules: dict[str, Limits] = field(default_factory=dict)  # the thresholds that each can have


KNOWN = Known()


class PlanUnfit(AppError):
    """Something that is no analysis plan; `field` says where to correct it."""

    def __init__(self, *, field: str, problem: LazyMessage) -> None:
        super().__init__(
            "analysis_plan.unfit",
            422,
            _("The analysis plan cannot be used like this, at '{field}': {problem}"),
            field=field,
            problem=problem,
        )
        self.field, self.problem = field, problem


def read_plan(given: Any, *, scales: Collection[str], conditions: Collection[str] | None = None) -> dict[str, Any]:
    """The plan as it is stored, nothing where nothing is planned. Without conditions, any name of one is taken."""
    if not isinstance(given, Mapping):
        raise _unfit("", LazyMessage("a plan has keys with values."))
    if not given:
        return {}
    if unknown := [str(name)[:40] for name in given if name not in FIELDS]:
        raise _unfit(unknown[0], LazyMessage("it has only {known}.", known=", ".join(FIELDS)))
    against, models = given.get("against") or ALL_PAIRS, KNOWN.models
    if against and (not isinstance(against, str) or (conditions is not None and against not in conditions)):
        raise _unfit("against", LazyMessage("the collection has no condition called '{name}'.", name=str(against)[:80]))
    return {
        "scale": _one_of("scale", given.get("scale"), scales),
        "against": against,
        "margin": _number("margin", given.get("margin"), (0.001, LARGEST_MARGIN)),
        "model": _one_of("model", given.get("model", models[0]), models),
        "rules": _rules(given.get("rules", {})),
    }


def _rules(given: Any) -> dict[str, float]:
    if not isinstance(given, Mapping):
        raise _unfit("rules", LazyMessage("each rule has a threshold."))
    for name in given:
        _one_of("rules", name, KNOWN.rules)
    read = {
        name: _number(f"rules.{name}", given[name], limits) for name, limits in KNOWN.rules.items() if name in given
    }
    return {name: threshold for name, threshold in read.items() if threshold is not None}


def _one_of(field: str, value: Any, known: Collection[str]) -> str:
    if not isinstance(value, str) or value not in known:
        raise _unfit(field, LazyMessage("it is one of {known}.", known=", ".join(known)))
    return value


def _number(field: str, value: Any, limits: Limits) -> float | None:
    low, high = limits
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise _unfit(field, LazyMessage("it is a number from {low} to {high}.", low=f"{low:g}", high=f"{high:g}"))
    return float(value)


def _unfit(field: str, problem: LazyMessage) -> PlanUnfit:
    return PlanUnfit(field=field, problem=problem)
