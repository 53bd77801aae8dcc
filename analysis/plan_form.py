"""Form of the page on which a study is planned; the command takes the same fields."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from analysis.services.plans import Source, pilot_sources, published_sources
from core.forms import ValidatedForm
from core.models import User
from rating.variance import VarianceComponents

ROUNDS = 1000
MOST_SIMULATED = 20_000  # votes of one simulated study


class PlanForm(ValidatedForm):
    """Every field has a usual value, so that a page without any input shows a plan."""

    source = forms.ChoiceField(
        label=_("Variance of the votes"),
        help_text=_("Taken from published votes on this scale, or from one of your experiments as a pilot."),
    )
    difference = forms.FloatField(
        label=_("Difference to find"),
        min_value=0.001,
        max_value=1000,
        initial=0.3,
        help_text=_("In points of the scale."),
    )
    power = forms.FloatField(label=_("Power wanted, in %"), min_value=10, max_value=99.9, initial=80)
    conditions = forms.IntegerField(label=_("Conditions"), min_value=2, max_value=100, initial=4)
    listeners = forms.IntegerField(label=_("Listeners"), min_value=2, max_value=2000, initial=24)
    items = forms.IntegerField(
        label=_("Items"), min_value=2, max_value=2000, initial=20, help_text=_("Each is rated under every condition.")
    )
    panels = forms.IntegerField(
        label=_("Panels"),
        min_value=1,
        max_value=50,
        initial=1,
        help_text=_("Each panel rates an equal share of the items; 1 means that everybody rates all of them."),
    )
    comparisons = forms.IntegerField(
        label=_("Comparisons"),
        min_value=1,
        max_value=1000,
        initial=1,
        help_text=_("How many differences are tested: the level (5 %) is divided by it (Bonferroni)."),
    )
    clip_s = forms.FloatField(label=_("Seconds per clip, with its ratings"), min_value=0.5, max_value=36000, initial=15)
    setup_min = forms.FloatField(label=_("Minutes before the first clip"), min_value=0, max_value=600, initial=10)
    longest_min = forms.FloatField(
        label=_("Longest time per listener, in minutes"), min_value=1, max_value=6000, initial=60
    )
    per_hour = forms.FloatField(label=_("Cost per listener hour"), min_value=0, max_value=100000, initial=15)
    most_listeners = forms.IntegerField(label=_("Listeners available"), min_value=2, max_value=2000, initial=200)
    most_items = forms.IntegerField(label=_("Items available"), min_value=2, max_value=2000, initial=200)
    mean = forms.FloatField(
        label=_("Expected mean, for the simulation"), required=False, help_text=_("Empty: the middle of the scale.")
    )
    simulate = forms.BooleanField(label=_("Check by simulation with rounded votes"), required=False)
    listener = forms.FloatField(label=_("Listener"), min_value=0, max_value=1e6, required=False)
    item = forms.FloatField(label=_("Item"), min_value=0, max_value=1e6, required=False)
    listener_condition = forms.FloatField(label=_("Listener by condition"), min_value=0, max_value=1e6, required=False)
    item_condition = forms.FloatField(label=_("Item by condition"), min_value=0, max_value=1e6, required=False)
    residual = forms.FloatField(label=_("Error of a vote"), min_value=0, max_value=1e6, required=False)

    basic = ("source", "difference", "power", "conditions", "listeners", "items", "panels", "comparisons")
    costs = ("clip_s", "setup_min", "longest_min", "per_hour", "most_listeners", "most_items")
    variances = VarianceComponents._fields
    checks = ("simulate", "mean")

    def __init__(self, data: Mapping[str, Any] | None = None, *, user: User | None, pilots: bool = True) -> None:
        published = published_sources()
        own = pilot_sources(user) if pilots else {}
        self.sources: dict[str, Source] = {**published, **own}
        usual = {name: field.initial for name, field in self.base_fields.items() if field.initial is not None}
        usual["source"] = next(iter(published))
        super().__init__({**usual, **{name: value for name, value in (data or {}).items() if value != ""}})
        groups = [(_("Published votes"), _choices(published)), (_("Your experiments"), _choices(own))]
        self.fields["source"].choices = [group for group in groups if group[1]]  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        if not self.errors:
            self._check_panels(values)
        if not self.errors:
            self._check_scale(values)
        return values

    def _check_panels(self, values: dict[str, Any]) -> None:
        panels = values["panels"]
        for name in ("listeners", "items"):
            if values[name] % panels or values[name] < 2 * panels:
                said = gettext(
                    "Panels have equal numbers, of 2 or more each: take a multiple of %(panels)s from %(least)s on."
                )
                self.add_error(name, said % {"panels": panels, "least": 2 * panels})
        if values["setup_min"] >= values["longest_min"]:
            self.add_error("longest_min", gettext("This must be longer than the minutes before the first clip."))

    def _check_scale(self, values: dict[str, Any]) -> None:
        scale = self.sources[values["source"]].scale
        limits = {"low": f"{scale.low:g}", "high": f"{scale.high:g}"}
        if values["difference"] >= scale.high - scale.low:
            self.add_error(
                "difference", gettext("The scale goes from %(low)s to %(high)s: take a smaller difference.") % limits
            )
        if values["mean"] is not None and not scale.low <= values["mean"] <= scale.high:
            self.add_error("mean", gettext("The mean lies on the scale, from %(low)s to %(high)s.") % limits)
        votes = values["listeners"] * values["items"] // values["panels"] * values["conditions"]
        if values["simulate"] and votes > MOST_SIMULATED:
            said = gettext("A study of %(votes)s votes is too large to be simulated here; use manage.py plan_study.")
            self.add_error("simulate", said % {"votes": votes})
        if not self._components(values).of_differences > 0:
            said = gettext(
                "Listener by condition, item by condition or the error of a vote must be above 0: nothing else is left "
                "in a difference."
            )
            self.add_error("residual", said)

    def _components(self, values: Mapping[str, Any]) -> VarianceComponents:
        """Those of the source, each replaced by what was typed."""
        typed = {name: values[name] for name in VarianceComponents._fields if values.get(name) is not None}
        return self.sources[values["source"]].components._replace(**typed)

    @property
    def chosen(self) -> Source:
        return self.sources[self.cleaned_data["source"]]

    def asked(self) -> dict[str, Any]:
        """What analysis.study_plan.plan_study takes."""
        values = self.cleaned_data
        scale = self.chosen.scale
        return {
            **{
                name: values[name]
                for name in ("listeners", "items", "conditions", "panels", "difference", "comparisons", "mean")
            },
            "power": values["power"] / 100,
            "components": list(self._components(values)),
            "scale": [scale.low, scale.high, scale.step],
            "costs": {name: values[name] for name in self.costs},
            "rounds": ROUNDS if values["simulate"] else 0,
        }


def _choices(sources: Mapping[str, Source]) -> list[tuple[str, str]]:
    return [(key, f"{source.title}, {source.scale.key}") for key, source in sources.items()]
