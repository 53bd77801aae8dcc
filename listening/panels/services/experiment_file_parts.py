"""Parts of an experiment's file that only some have: own label sets, attention checks, analysis plan, extensions."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from django.utils.translation import gettext_noop as _

from core.errors import AppError
from core.i18n import LazyMessage
from core.models import User
from listening.models import Extension
from listening.panels.services.extensions import adopt_extension, draft_extension
from rating.analysis_plan import FIELDS, PlanUnfit, read_plan
from rating.attention import expected_of, written_ranges
from rating.models import Experiment
from rating.protocol import GOLD, TRAP, LabelStatus, Protocol
from rating.question_definitions import QuestionUnfit, read_questions
from rating.registry import get_protocol
from rating.services.attention import change_checks, check_clips
from rating.services.editing import edit_experiment
from rating.services.label_sets import add_label_set, read_label_set

SCALE_PARTS = ("question", "attend", "word", "anchors")
Values = Mapping[str, Any]

# --- Writing ----------------------------------------------------------------------------------------------------------


def written_parts(experiment: Experiment) -> dict[str, Any]:
    """Those that the experiment has, under their keys."""
    parts = {
        "label_sets": _label_sets(experiment),
        "questions": experiment.questions and [one.stored() for one in read_questions(experiment.questions)],
        "checks": _checks(experiment),
        "analysis_plan": _plan(experiment.analysis_plan),
    }
    return {name: part for name, part in parts.items() if part}


def _label_sets(experiment: Experiment) -> list[dict[str, Any]]:
    """In the order of names, because two sets can be of the same moment. A database may turn keys around."""
    scales = [scale.key for scale in get_protocol(experiment.protocol).scales]
    return [
        {
            "name": own.name,
            "language": own.language,
            "based_on": own.based_on,
            "approved": own.status == LabelStatus.REVIEWED,
            "scales": {
                key: {part: own.scales[key][part] for part in SCALE_PARTS} for key in scales if key in own.scales
            },
        }
        for own in experiment.own_label_sets.filter(protocol=experiment.protocol).order_by("name")
    ]


def _checks(experiment: Experiment) -> dict[str, Any]:
    if not experiment.checks:
        return {}
    protocol = get_protocol(experiment.protocol)
    clips = [
        {"item": item, "condition": condition, "expected": written_ranges(expected, protocol)}
        for item, condition, expected in experiment.checks["clips"]
    ]
    return {"repeats": experiment.checks["repeats"], "clips": clips}


def _plan(plan: Values) -> dict[str, Any]:
    kept = {name: plan[name] for name in FIELDS if plan and plan[name] not in (None, "", {})}
    return kept | ({"rules": dict(sorted(kept["rules"].items()))} if "rules" in kept else {})


def written_extensions(experiment: Experiment) -> list[dict[str, Any]]:
    """What each extension added to the design before it."""
    return [
        {
            "listeners": one.listeners // one.panels - one.listeners_before // one.panels_before,
            "panels": one.panels - one.panels_before,
            "reason": one.reason,
            "sha256": one.sha256,
        }
        for one in experiment.extensions.all()
    ]


# --- Checking ---------------------------------------------------------------------------------------------------------


def part_problems(values: Values) -> Iterator[LazyMessage]:
    """What the readers of the parts refuse, each with its place in the file."""
    protocol = get_protocol(values["protocol"])
    for path, read in _readings(values, protocol):
        try:
            read()
        except PlanUnfit as error:
            yield _problem(f"{path}.{error.field}".rstrip("."), error.problem)
        except QuestionUnfit as error:
            yield _problem(f"{path}.{error.key}", error.problem)
        except AppError as error:
            yield _problem(path, str(error))
    roles, stimuli = (values.get("collection", {}).get(name, {}) for name in ("conditions", "stimuli"))
    for number, clip in enumerate(values.get("checks", {}).get("clips", []), start=1):
        known = clip["condition"] in stimuli.get(clip["item"], {}) and roles.get(clip["condition"]) in (TRAP, GOLD)
        if "collection" in values and not known:
            yield _problem(
                f"checks.clips[{number}]", LazyMessage("the collection has no such clip of the role trap or gold.")
            )
    names = [one["name"] for one in values.get("label_sets", [])]
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield _problem("label_sets", LazyMessage("two are called {name}.", name=name))


def _readings(values: Values, protocol: Protocol) -> Iterator[tuple[str, Callable[[], Any]]]:
    if "questions" in values:
        yield "questions", partial(read_questions, values["questions"])
    if "analysis_plan" in values:
        conditions = values["collection"]["conditions"] if "collection" in values else None
        scales = [scale.key for scale in protocol.scales]
        yield "analysis_plan", partial(read_plan, values["analysis_plan"], scales=scales, conditions=conditions)
    for number, own in enumerate(values.get("label_sets", []), start=1):
        yield f"label_sets[{number}]", partial(read_label_set, protocol, **_words(own))
    for number, clip in enumerate(values.get("checks", {}).get("clips", []), start=1):
        yield f"checks.clips[{number}]", partial(expected_of, clip["expected"], protocol)


def _words(own: Values) -> dict[str, Any]:
    return {"language": own["language"], "based_on": own.get("based_on", ""), "scales": own["scales"]}


def _problem(path: str, problem: Any) -> LazyMessage:
    return LazyMessage("`{path}`: {problem}", path=path, problem=problem)


# --- Creating ---------------------------------------------------------------------------------------------------------


def create_parts(experiment: Experiment, values: Values, actor: User) -> Experiment:
    """Give a new draft what its file has beyond the fields of every experiment; its questions it has already."""
    for own in values.get("label_sets", []):
        made = add_label_set(
            experiment=experiment, actor=actor, name=own["name"], approved=own.get("approved", False), **_words(own)
        )
        if values.get("label_set") == own["name"]:
            experiment = edit_experiment(experiment=experiment, actor=actor, label_set=made.name)
    if checks := values.get("checks"):
        expected = {(clip["item"], clip["condition"]): clip["expected"] for clip in checks.get("clips", [])}
        known = {(clip.item.name, clip.condition.name) for clip in check_clips(experiment)}
        if unknown := [" x ".join(cell) for cell in expected if cell not in known]:
            raise AppError(
                "experiment_file.check_missing",
                409,
                _("The collection has no trap or gold clip '{clip}', which the file uses as an attention check."),
                clip=unknown[0],
            )
        experiment = change_checks(
            experiment=experiment, repeats=checks.get("repeats", 0), expected=expected, actor=actor
        )
    if plan := values.get("analysis_plan"):
        experiment = edit_experiment(experiment=experiment, actor=actor, analysis_plan=plan)
    return experiment


def extend_as_written(experiment: Experiment, written: Values, actor: User, **how: Any) -> Extension:
    """Add the next extension of a file to the design that was made from it."""
    sizes = {"listeners": written.get("listeners", 0), "panels": written.get("panels", 0)}
    planner = {"planner": how.pop("planner")} if "planner" in how else {}
    draft = draft_extension(experiment=experiment, **sizes, **planner)
    check_sha256(draft.sha256, written.get("sha256", ""))
    return adopt_extension(experiment=experiment, draft=draft, reason=written.get("reason", ""), actor=actor, **how)


def check_sha256(made: str, sha256: str) -> None:
    if sha256 and made != sha256:
        raise AppError(
            "experiment_file.other_design",
            409,
            _(
                "The collection gives another design than the one in the file: {made} instead of {sha256}. Its factors "
                "or the version of Earmark differ. Remove design.sha256, and that of each extension, from the file to "
                "take the new design."
            ),
            made=made[:12],
            sha256=sha256[:12],
        )
