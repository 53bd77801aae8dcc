"""manage.py plan_study: half widths, power and the cheapest design of a study, from variance components."""

import json
from typing import Any

from django import forms
from django.core.management.base import BaseCommand, CommandError, CommandParser

from analysis.plan_form import PlanForm


class Command(BaseCommand):
    help = (
        "Plan a study: the 95 % interval and the power of a design, and the cheapest design for a difference. Needs a "
        "database only with --experiment."
    )
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", dest="as_json", action="store_true", help="print every figure as JSON")
        parser.add_argument("--experiment", metavar="SLUG", help="take the components of this pilot, with --scale")
        parser.add_argument("--scale", metavar="KEY", help="scale of the pilot, such as OVRL")
        parser.add_argument("--rounds", type=int, default=0, help="simulate so many studies with rounded votes (0)")
        parser.add_argument("--seed", type=int, default=0, help="of the simulation (0)")
        for name, field in PlanForm.base_fields.items():
            if not isinstance(field, forms.BooleanField):
                usual = "" if field.initial is None else f" ({field.initial:g})"
                parser.add_argument(
                    _option(name), dest=name, default="", help=f"{field.label}{usual}".replace("%", "%%")
                )

    def handle(self, *, as_json: bool, experiment: str | None, scale: str | None, **options: Any) -> None:
        # numpy and scipy take a moment to load, which --help does not need.
        from analysis.study_plan import plan_study

        if bool(experiment) != bool(scale):
            raise CommandError("A pilot takes both: --experiment SLUG and --scale KEY.")
        if options["rounds"] < 0:
            raise CommandError("--rounds takes a whole number from 0 on.")
        data = {name: options[name] for name in PlanForm.base_fields if name in options}
        if experiment:
            data["source"] = f"pilot:{experiment}:{scale}"
        form = PlanForm(data, user=None, pilots=bool(experiment))
        if not form.is_valid():
            raise CommandError(_said(form))
        asked = form.asked() | {"rounds": options["rounds"], "seed": options["seed"]}
        found = {"source": form.cleaned_data["source"]} | plan_study(**asked)
        self.stdout.write(json.dumps(found, indent=2) if as_json else _shown(found))


def _option(name: str) -> str:
    return "--" + name.replace("_", "-")


def _said(form: PlanForm) -> str:
    """Every wrong option with what would be right; of a source that is not known, those that are."""
    if "source" in form.errors:
        return f"There are no variance components of '{form.data['source']}'. Known: {', '.join(form.sources)}."
    return "\n".join(f"{_option(name)}: {text}" for name, texts in form.errors.items() for text in texts)


def _shown(found: dict[str, Any]) -> str:
    design, goal, best = found["design"], found["goal"], found["cheapest"]
    lines = [
        (
            f"{design['listeners']} listeners x {design['items']} items x {design['conditions']} conditions, "
            f"{design['panels']} panel(s): mean +/- {design['mean']['half_width']:.3f}, difference "
            f"+/- {design['difference']['half_width']:.3f}, power for {goal['difference']:g}: "
            f"{design['difference']['power']:.1%}, of a mean against a value {design['mean']['power']:.1%}"
        ),
        "No design within the limits reaches the goal."
        if best is None
        else f"Cheapest for {goal['power']:.0%}: {best['listeners']} listeners x {best['items']} items in "
        f"{best['panels']} panel(s), {best['hours']:.1f} hours, cost {best['cost']:.0f}",
    ]
    if simulated := found["simulation"]:
        lines.append(
            f"Simulated {simulated['rounds']} times: power {simulated['power']:.1%} (SE {simulated['power_se']:.1%}), "
            f"difference {simulated['difference']:.3f} +/- {simulated['difference_half_width']:.3f}"
        )
    return "\n".join(lines)
