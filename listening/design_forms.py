"""What an experimenter fills in about a design."""

from typing import Any

from django import forms
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from core.forms import ValidatedForm
from listening.design.base import DesignRequest
from listening.design.orders.presets import PRESETS
from listening.services.material import Material

MOST_SEATS = 2000
USUAL_PANELS, USUAL_SIZE, USUAL_SESSIONS = 4, 32, 4  # as in the CHiME-7 UDASE listening test
FEWEST_ITEMS_TO_DIVIDE = 16
MOST_LEVELS, USUAL_LEVELS = 24, 8  # a factor with more levels, such as a file's name, shares nothing out


class DesignForm(ValidatedForm):
    preset = forms.ChoiceField(label=_("Preset"))
    panels = forms.IntegerField(
        label=_("Panels"), min_value=1, max_value=99, help_text=_("Each panel hears items of its own.")
    )
    seats = forms.IntegerField(label=_("Listeners per panel"), min_value=1, max_value=1000)
    size = forms.IntegerField(label=_("Items per panel"), min_value=1, max_value=10_000)
    factors = forms.MultipleChoiceField(
        label=_("Share out evenly"),
        widget=forms.CheckboxSelectMultiple,
        required=False,
        help_text=_("Factors whose levels every panel hears in the proportions of the collection."),
    )
    sessions = forms.IntegerField(label=_("Sessions"), min_value=1, max_value=99)
    seed = forms.CharField(
        label=_("Seed"), max_length=64, help_text=_("The same seed makes the same design, another seed another design.")
    )

    def __init__(self, *args: Any, material: Material, **kwargs: Any) -> None:
        super().__init__(*args, initial=usual(material), **kwargs)
        levels = material.factor_levels()
        self.fields["preset"].choices = [(slug, gettext(made.title)) for slug, made in PRESETS.items()]  # type: ignore[attr-defined]
        self.fields["factors"].choices = [  # type: ignore[attr-defined]
            (name, f"{name} ({_counted_levels(count)})") for name, count in levels.items() if count <= MOST_LEVELS
        ]
        if not self.fields["factors"].choices:  # type: ignore[attr-defined]
            del self.fields["factors"]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        seats = cleaned.get("panels", 1) * cleaned.get("seats", 1)
        if seats > MOST_SEATS:
            self.add_error(
                "seats",
                gettext("That makes %(seats)d seats; this page lays out %(most)d at most.")
                % {"seats": seats, "most": MOST_SEATS},
            )
        return cleaned

    def wanted(self) -> DesignRequest:
        return DesignRequest.from_json({name: self.value(name) for name in self.fields})


def usual(material: Material) -> dict[str, Any]:
    """What to propose: four panels of up to 32 items where there are enough, else one panel that hears all."""
    items = len(material.samples)
    panels = USUAL_PANELS if items >= FEWEST_ITEMS_TO_DIVIDE else 1
    size = min(USUAL_SIZE, items // panels)
    usable = [name for name, count in material.factor_levels().items() if 2 <= count <= USUAL_LEVELS]
    return {
        **DesignRequest().to_json(),
        "panels": panels,
        "size": size,
        "sessions": min(USUAL_SESSIONS, size * len(material.conditions)),
        "factors": usable,
    }


def _counted_levels(count: int) -> str:
    return ngettext("%d level", "%d levels", count) % count
