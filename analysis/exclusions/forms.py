"""Forms of the page of exclusions."""

from collections.abc import Collection, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from analysis.statistics.rules import RULES
from core.forms import ValidatedForm
from listening.models import Exclusion, Seat
from listening.panels.services.exclusions import LONGEST_REASON, Target, name_of_listener

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
        if rule and threshold is not None and not rule.lowest <= threshold <= rule.highest:
            said = gettext("A threshold of this rule is from %(lowest)g to %(highest)g.")
            self.add_error("threshold", said % {"lowest": rule.lowest, "highest": rule.highest})
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
