"""Plans of studies: where variance components come from, and the computation in the sandbox."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from analysis.models import Result
from audio.sandbox.client import Limits
from core.models import User
from rating.models import Experiment
from rating.protocol import Scale
from rating.registry import get_protocol, protocols
from rating.variance import VarianceComponents
from stimuli.sandbox import run_sandboxed

WORK = "analysis.study_plan:plan_in_sandbox"
LIMITS = Limits(cpu_s=20, wall_s=40, result_bytes=4 * 2**20)
MOST_PILOTS = 30


class Source(NamedTuple):
    """A scale, and variance components of published votes on it, or of the votes of an experiment."""

    scale: Scale
    components: VarianceComponents
    title: str  # of the protocol or the experiment


def published_sources() -> dict[str, Source]:
    """By protocol and scale."""
    return {
        f"{slug}:{scale.key}": Source(scale, scale.published, protocol.title)
        for slug, protocol in protocols().items()
        for scale in protocol.scales
        if scale.published
    }


def pilot_sources(user: User | None) -> dict[str, Source]:
    """Of the newest experiments with results that a person may see, by experiment and scale; None sees all."""
    seen = Experiment.objects.all() if user is None else Experiment.objects.visible_to(user)
    results = Result.objects.filter(experiment__in=seen, simulated=False).order_by("-experiment__created_at")
    found: dict[str, Source] = {}
    columns = ("experiment__slug", "experiment__title", "experiment__protocol", "table__components")
    for slug, title, protocol, rows in results.values_list(*columns)[:MOST_PILOTS]:
        for scale in get_protocol(protocol).scales:
            components = _estimated([row for row in rows or () if row["scale"] == scale.key])
            if components and components.of_differences > 0:
                found[f"pilot:{slug}:{scale.key}"] = Source(scale, components, title)
    return found


def _estimated(rows: Iterable[dict[str, Any]]) -> VarianceComponents | None:
    """None where a component could not be estimated, as that of items with one item; an estimate of 0 is one."""
    variances = {row["component"]: row["variance"] for row in rows if row["dropped"] in ("", "zero")}
    if not set(VarianceComponents._fields) <= variances.keys():
        return None
    return VarianceComponents(**{name: variances[name] for name in VarianceComponents._fields})


def compute_plan(**asked: Any) -> dict[str, Any]:
    """The figures of analysis.study_plan, computed in the sandbox."""
    return run_sandboxed(WORK, limits=LIMITS, **asked).facts
