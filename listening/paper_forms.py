"""What an organiser fills in about a sheet of paper."""

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from core.forms import ValidatedForm
from listening.services.paper import Reading, Sheet
from rating.protocols.base import Mark, RatingProtocol, Scale

SHARE, PERCENT = "share", "percent"
READ_FROM = ("paper", "scan")
LONGEST_COMMENT = 5000
LARGEST_FRAME_PX = 100_000


class PaperConsentForm(ValidatedForm):
    agreed = forms.BooleanField(
        label=_("The rater has signed the consent text on paper, and I hold the sheet."), required=False
    )


class SheetForm(ValidatedForm):
    """Two numbers, or as many as there are scales, for everything that the sheet rates."""

    event_id = forms.UUIDField(widget=forms.HiddenInput)
    revision = forms.IntegerField(widget=forms.HiddenInput, min_value=0)
    frame_px = forms.IntegerField(widget=forms.HiddenInput, min_value=0, max_value=LARGEST_FRAME_PX, initial=0)
    unit = forms.ChoiceField(label=_("Numbers are"), widget=forms.RadioSelect, initial=SHARE)
    comment = forms.CharField(
        label=_("Comment"),
        required=False,
        max_length=LONGEST_COMMENT,
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text=_("As it is written on the sheet, lines about single summaries included."),
    )
    close = forms.BooleanField(required=False)

    def __init__(self, *args: Any, sheet: Sheet, protocol: RatingProtocol, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.sheet = sheet
        self.scales = [protocol.scale(key) for key in sheet.plan.ask]
        low, high = self.scales[0].low, self.scales[0].high
        share = gettext("from %(low)g to %(high)g") % {"low": low, "high": high}
        self.fields["unit"].choices = [(SHARE, share), (PERCENT, gettext("in per cent"))]  # type: ignore[attr-defined]
        known = {(mark.slot, mark.scale): mark.value for mark in sheet.newest.marks} if sheet.newest else {}
        for number, slot in enumerate(sheet.slots, start=1):
            self.fields[f"{slot}-read"] = forms.ChoiceField(
                choices=[(way, way) for way in READ_FROM], widget=forms.HiddenInput, initial=READ_FROM[0]
            )
            for scale in self.scales:
                field = forms.FloatField(required=False, label=f"{number}, {scale.key}")
                field.widget.attrs |= {
                    "step": "any",
                    "autocomplete": "off",
                    "data-low": scale.low,
                    "data-high": scale.high,
                }
                field.initial = known.get((slot, scale.key))
                self.fields[f"{slot}-{scale.key}"] = field
        self.fields["comment"].initial = sheet.newest.detail.get("comment", "") if sheet.newest else ""
        self.fields["event_id"].initial = uuid4()
        self.fields["revision"].initial = sheet.trial.revision

    def rows(self) -> Iterator[dict[str, Any]]:
        """One row for each thing that is rated: its number on the sheet, and its fields."""
        for number, slot in enumerate(self.sheet.slots, start=1):
            fields = [self[f"{slot}-{scale.key}"] for scale in self.scales]
            yield {"number": number, "slot": slot, "fields": fields, "read": self[f"{slot}-read"]}

    def clean(self) -> dict[str, Any]:
        values = super().clean() or self.cleaned_data
        for slot in self.sheet.slots:
            self._clean_slot(slot, closing=values.get("close", False), percent=values.get("unit") == PERCENT)
        return values

    def _clean_slot(self, slot: str, *, closing: bool, percent: bool) -> None:
        """Complain beside the field: a place is whole or missing, and in a closed sheet none is missing."""
        names = [f"{slot}-{scale.key}" for scale in self.scales]
        given = [name for name in names if self.cleaned_data.get(name) is not None or name in self.errors]
        if closing and not given:
            self.add_error(names[0], gettext("Missing. Enter this cross, or save a draft."))
        for name, scale in zip(names, self.scales, strict=True):
            value = self.cleaned_data.get(name)
            if given and name not in given:
                self.add_error(name, gettext("A cross has both numbers: enter this one, or take the other out."))
            elif value is not None:
                low, high = (0.0, 100.0) if percent else (scale.low, scale.high)
                if not low <= value <= high:
                    self.add_error(name, gettext("From %(low)g to %(high)g.") % {"low": low, "high": high})
                else:
                    self.cleaned_data[name] = _on_scale(value, scale, percent=percent)

    def reading(self) -> Reading:
        """What a valid form says."""
        values = self.cleaned_data
        marks = tuple(
            Mark(slot, scale.key, values[f"{slot}-{scale.key}"])
            for slot in self.sheet.slots
            for scale in self.scales
            if values[f"{slot}-{scale.key}"] is not None
        )
        return Reading(
            event_id=values["event_id"],
            revision=values["revision"],
            marks=marks,
            read_from={slot: values[f"{slot}-read"] for slot in self.sheet.slots},
            frame_px=values["frame_px"],
            comment=values["comment"],
            whole=values["close"],
        )


def _on_scale(value: float, scale: Scale, *, percent: bool) -> float:
    """The nearest value that the scale has; a ruler or a scan is finer than that."""
    exact = scale.low + value / 100 * (scale.high - scale.low) if percent else value
    return round(scale.low + round((exact - scale.low) / scale.step) * scale.step, 9)
