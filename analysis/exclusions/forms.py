"""Forms of the pages of exclusions and of the analysis plan."""

from collections.abc import Collection, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from analysis.exclusions.rules import threshold_refused
from analysis.reports.plan import model_names
from analysis.reports.rules import rule_sentences, rule_titles
from analysis.statistics.rules import RULES
from core.forms import ValidatedForm
from core.http_errors import error_message
from listening.models import Exclusion, Seat
from listening.panels.services.exclusions import LONGEST_REASON, Target, name_of_listener
from rating.analysis_plan import LARGEST_MARGIN
from rating.models import Experiment
from rating.registry import get_protocol
from rating.services.experiments import condition_names

# The field that an error is shown beside.
FIELDS = {
    "exclusion.trial_unknown": "position",
    "exclusion.trial_repeated": "position",
    "exclusion.no_answers": "position",
    "exclusion.reason_missing": "reason",
}


class RuleForm(ValidatedForm):
    """One rule with a threshold: to see whom it finds, and to exclude them."""

    rule = forms.CharField(widget=forms.HiddenInput, max_length=40)
    threshold = forms.FloatField(label=_("Threshold"), widget=forms.NumberInput(attrs={"step": "any"}))

    def clean(self) -> dict[str, Any]:
        found = super().clean() or self.cleaned_data
        rule, threshold = RULES.get(found.get("rule", "")), found.get("threshold")
        if rule and threshold is not None and not rule.allows(threshold):
            self.add_error("threshold", error_message(threshold_refused(rule)))
        return found


class ExclusionForm(ValidatedForm):
    whom = forms.ChoiceField(label=_("Listener"))
    what = forms.ChoiceField(
        label=_("What"),
        choices=[
            (Exclusion.Kind.LISTENER, _("All answers of the listener")),
            (Exclusion.Kind.SEAT, _("All answers of the seat")),
            (Exclusion.Kind.TRIAL, _("One trial")),
        ],
    )
    position = forms.IntegerField(
        label=_("Trial (for one trial only)"),
        min_value=1,
        required=False,
        help_text=_("Its place in the listener's order, from 1; the column position of the answers."),
    )
    reason = forms.CharField(label=_("Reason"), max_length=LONGEST_REASON)

    def __init__(self, *args: Any, seats: Sequence[Seat], excluded: Collection[Any] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.seats = {name_of_listener(seat): seat for seat in seats}
        said = gettext("%(listener)s: panel %(panel)s, seat %(seat)s")
        self.fields["whom"].choices = [  # type: ignore[attr-defined]
            (
                name,
                (said % {"listener": name, "panel": seat.panel.number, "seat": seat.number})
                + (f" ({gettext('excluded')})" if seat.pk in excluded else ""),
            )
            for name, seat in self.seats.items()
        ]

    def clean(self) -> dict[str, Any]:
        found = super().clean() or self.cleaned_data
        if found.get("what") == Exclusion.Kind.TRIAL and not found.get("position") and "position" not in self.errors:
            self.add_error("position", gettext("Say which trial: a number from 1."))
        return found

    def target(self) -> Target:
        """What was chosen; a trial belongs to its listener."""
        chosen = self.cleaned_data
        if chosen["what"] == Exclusion.Kind.SEAT:
            seat = self.seats[chosen["whom"]]
            return Target(panel=seat.panel.number, seat=seat.number)
        position = chosen["position"] if chosen["what"] == Exclusion.Kind.TRIAL else None
        return Target(listener=chosen["whom"], position=position)


class PlanForm(ValidatedForm):
    """What is written down of the analysis while the experiment is a draft; a rule with a threshold is registered."""

    scale = forms.ChoiceField(label=_("Primary scale"), required=False)
    against = forms.ChoiceField(label=_("Contrast"), required=False)
    margin = forms.FloatField(
        label=_("Margin of equivalence"),
        help_text=_("A difference in points below which conditions count as equivalent. Empty: none."),
        required=False,
        min_value=0.001,
        max_value=LARGEST_MARGIN,
        widget=forms.NumberInput(attrs={"step": "any"}),
    )
    model = forms.ChoiceField(label=_("Model"))

    def __init__(self, *args: Any, experiment: Experiment, **kwargs: Any) -> None:
        plan = experiment.analysis_plan
        initial = plan | {f"rule_{slug}": threshold for slug, threshold in plan.get("rules", {}).items()}
        super().__init__(*args, **{"auto_id": "plan_%s", "initial": initial, **kwargs})
        scales = [scale.key for scale in get_protocol(experiment.protocol).scales]
        conditions = [(name, gettext("against %s") % name) for name in condition_names(experiment)]
        self._choices("scale", [("", gettext("no analysis plan")), *((key, key) for key in scales)])
        self._choices("against", [("", gettext("all pairs")), *conditions])
        self._choices("model", list(model_names().items()))
        for slug, rule in RULES.items():
            usual = gettext("Usual threshold: %(usual)g. Empty: not registered.") % {"usual": rule.threshold}
            self.fields[f"rule_{slug}"] = forms.FloatField(
                label=rule_titles()[slug],
                help_text=f"{rule_sentences()[slug]} {usual}",
                required=False,
                min_value=rule.lowest,
                max_value=rule.highest,
                widget=forms.NumberInput(attrs={"step": "any"}),
            )

    def _choices(self, field: str, choices: list[tuple[str, Any]]) -> None:
        self.fields[field].choices = choices  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        found = super().clean() or self.cleaned_data
        rules = [name for name in found if name.startswith("rule_") and found[name] is not None]
        if not found.get("scale") and (rules or found.get("margin") or found.get("against")):
            self.add_error("scale", gettext("Choose the primary scale, or leave all other fields empty."))
        return found

    def plan(self) -> dict[str, Any]:
        """As it is stored; empty where nothing is written down."""
        chosen = self.cleaned_data
        if not chosen["scale"]:
            return {}
        rules = {slug: chosen[f"rule_{slug}"] for slug in RULES if chosen[f"rule_{slug}"] is not None}
        return {name: chosen[name] for name in ("scale", "against", "margin", "model")} | {"rules": rules}
