"""Forms of the experimenter's pages: panels, links, session settings, designs, and sheets of paper."""

from collections.abc import Iterator, Sequence
from typing import Any
from uuid import uuid4

from django import forms
from django.core.validators import validate_email
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from core.errors import AppError
from core.forms import ValidatedForm
from core.http_errors import error_message
from listening.design.base import DesignRequest
from listening.design.orders.presets import PRESETS
from listening.models import LONGEST_LABEL, LONGEST_STATED_MIN, Invitation, SessionSettings
from listening.panels.services.mailing import PLACE, PLACES, UNFINISHED, UNOPENED
from listening.panels.services.material import Material
from listening.panels.services.panels import LINK_DAYS
from listening.panels.services.paper import Reading, Sheet
from listening.panels.services.session_settings import (
    CHANGEABLE,
    FIXED_WHILE_LIVE,
    LONGEST_URL,
    RETURN_URLS,
    check_return_url,
)
from rating.attention import expected_of, written_ranges
from rating.models import Experiment
from rating.protocol import Cell, Mark, Protocol, Scale
from rating.registry import get_protocol
from rating.services.attention import EXPECTED, MOST_REPEATS, check_clips, expected_by_clip

MOST_LINKS = 500  # at once
USUAL_LISTENERS = 8

# --- People -----------------------------------------------------------------------------------------------------------


class WithReasonForm(ValidatedForm):
    """A form that asks for a reason once listeners may have answered."""

    reason = forms.CharField(label=_("Reason"), max_length=500, help_text=_("Kept in the audit log and with the data."))

    def __init__(self, *args: Any, reason_needed: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not reason_needed:
            del self.fields["reason"]


class PanelForm(WithReasonForm):
    seats = forms.IntegerField(label=_("Seats"), min_value=1, max_value=500, initial=8)
    group = forms.ChoiceField(label=_("Group"))

    field_order = ["seats", "group", "reason"]

    def __init__(self, *args: Any, groups: Sequence[str], **kwargs: Any) -> None:
        super().__init__(*args, **{"auto_id": "panel_%s", **kwargs})
        if groups:
            self.fields["group"].choices = [(group, group) for group in groups]  # type: ignore[attr-defined]
        else:
            del self.fields["group"]


class MoreSeatsForm(WithReasonForm):
    """More seats for one panel that was not laid out together with others."""

    panel = forms.TypedChoiceField(label=_("Panel"), coerce=int)
    seats = forms.IntegerField(label=_("More listeners"), min_value=1, max_value=500, initial=1)

    field_order = ["panel", "seats", "reason"]

    def __init__(self, *args: Any, panels: Sequence[int], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["panel"].choices = [  # type: ignore[attr-defined]
            (number, gettext("Panel %(number)d") % {"number": number}) for number in panels
        ]


class ExtensionForm(ValidatedForm):
    listeners = forms.IntegerField(
        label=_("More listeners in each panel"), min_value=0, max_value=500, initial=1, required=False
    )
    panels = forms.IntegerField(
        label=_("More panels"),
        min_value=0,
        max_value=99,
        initial=0,
        required=False,
        help_text=_("Each hears items that no panel has yet, chosen by the same rules."),
    )

    def clean(self) -> dict[str, Any]:
        return {name: value or 0 for name, value in (super().clean() or self.cleaned_data).items()}


class ChecksForm(ValidatedForm):
    """Repeats, and for every trap or gold clip the answer that is expected."""

    repeats = forms.IntegerField(
        label=_("Clips that are heard twice"),
        min_value=0,
        max_value=MOST_REPEATS,
        initial=0,
        help_text=_("Drawn anew for each listener. The first rating counts; the second shows how consistent they are."),
    )

    def __init__(self, *args: Any, experiment: Experiment, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.protocol = get_protocol(experiment.protocol)
        self.fields["repeats"].initial = experiment.checks.get("repeats", 0)
        self.clips = {f"clip{number}": clip for number, clip in enumerate(check_clips(experiment), start=1)}
        used = expected_by_clip(experiment)
        for name, clip in self.clips.items():
            kept = used.get((clip.item.name, clip.condition.name))
            proposed = "" if experiment.checks else str(clip.item.factors.get(EXPECTED, ""))
            self.fields[name] = forms.CharField(
                label=f"{clip.condition.get_role_display()}: {clip.item.name}",
                required=False,
                max_length=200,
                initial=written_ranges(kept, self.protocol) if kept else proposed,
            )

    def expected(self) -> dict[Cell, str]:
        """What was typed, by clip."""
        return {
            (clip.item.name, clip.condition.name): self.cleaned_data.get(name, "") for name, clip in self.clips.items()
        }

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        for name in self.clips:
            try:
                expected_of(cleaned.get(name, ""), self.protocol)
            except AppError as error:
                self.add_error(name, error_message(error))
        return cleaned


class FirstSeatsForm(ValidatedForm):
    listeners = forms.IntegerField(label=_("Listeners"), min_value=1, max_value=500)
    design = forms.BooleanField(required=False)


class InvitationsForm(ValidatedForm):
    count = forms.IntegerField(label=_("Links"), min_value=1, max_value=MOST_LINKS)
    labels = forms.CharField(
        label=_("Labels, one per line (optional)"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=_(
            "For example P07 or an e-mail address. One link is created for each line. Participants never see them."
        ),
    )
    days = forms.IntegerField(label=_("Days until they expire"), min_value=1, max_value=730, required=False)

    def clean_labels(self) -> list[str]:
        labels = [line.strip() for line in self.cleaned_data["labels"].splitlines() if line.strip()]
        if len(labels) > MOST_LINKS:
            raise forms.ValidationError(gettext("At most %(most)d lines at once.") % {"most": MOST_LINKS})
        for label in labels:
            check_label(label)
            if labels.count(label) > 1:
                raise forms.ValidationError(gettext("%(label)s is there twice.") % {"label": label})
        return labels

    def clean_days(self) -> int:
        return self.cleaned_data["days"] or LINK_DAYS


def check_label(label: str) -> None:
    if len(label) > LONGEST_LABEL:
        said = gettext("A label has at most %(most)d characters: %(label)s …")
        raise forms.ValidationError(said % {"most": LONGEST_LABEL, "label": label[:20]})


class MessageForm(ValidatedForm):
    """Subject and text of an e-mail, with places that are filled in for each person."""

    subject = forms.CharField(label=_("Subject"), max_length=200)
    text = forms.CharField(
        label=_("Text"),
        max_length=10_000,
        widget=forms.Textarea(attrs={"rows": 10}),
        help_text=_("{link} is the person's own link, {title} the title, {minutes} the duration in minutes."),
    )

    def clean_subject(self) -> str:
        subject = self._with_known_places("subject")
        if "{link}" in subject:
            raise forms.ValidationError(gettext("The link belongs into the text."))
        return subject

    def clean_text(self) -> str:
        text = self._with_known_places("text")
        if "{link}" not in text:
            raise forms.ValidationError(gettext("Write {link} where each person's link belongs."))
        return text

    def _with_known_places(self, name: str) -> str:
        text: str = self.cleaned_data[name]
        unknown = [f"{{{place}}}" for place in PLACE.findall(text) if place not in PLACES]
        if unknown:
            said = gettext("%(unknown)s is unknown. Use {link}, {title} or {minutes}.")
            raise forms.ValidationError(said % {"unknown": unknown[0]})
        return text


class MailForm(MessageForm):
    panel = forms.TypedChoiceField(label=_("Panel"), coerce=int)
    recipients = forms.CharField(
        label=_("Addresses, one per line"),
        widget=forms.Textarea(attrs={"rows": 6}),
        help_text=_("An address, or a label and an address: P07, anna@example.org"),
    )
    field_order = ["panel", "recipients", "subject", "text"]

    def __init__(self, *args: Any, panels: Sequence[int], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["panel"].choices = [(number, number) for number in panels]  # type: ignore[attr-defined]

    def clean_recipients(self) -> list[list[str]]:
        """Label and address of each line."""
        found: list[list[str]] = []
        for line in filter(None, map(str.strip, self.cleaned_data["recipients"].splitlines())):
            label, _comma, address = (part.strip() for part in line.rpartition(","))
            try:
                validate_email(address)
            except forms.ValidationError:
                said = gettext("This is no e-mail address: %(line)s")
                raise forms.ValidationError(said % {"line": line[:80]}) from None
            if address.lower() in {known.lower() for _label, known in found}:
                raise forms.ValidationError(gettext("%(label)s is there twice.") % {"label": address})
            check_label(label)
            found.append([label, address])
        if len(found) > MOST_LINKS:
            raise forms.ValidationError(gettext("At most %(most)d lines at once.") % {"most": MOST_LINKS})
        return found


class ReminderForm(MessageForm):
    whom = forms.ChoiceField(
        label=_("Remind"),
        choices=[
            (UNOPENED, _("those who have not opened their link")),
            (UNFINISHED, _("those who have not finished")),
        ],
    )
    field_order = ["whom", "subject", "text"]


class LabelForm(ValidatedForm):
    label = forms.CharField(label=_("Label"), max_length=LONGEST_LABEL, required=False)


class LinkListForm(ValidatedForm):
    """What the list of links is narrowed to, by the address of the page."""

    search = forms.CharField(label=_("Label contains"), max_length=LONGEST_LABEL, required=False)
    state = forms.ChoiceField(label=_("State"), required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["state"].choices = [("", _("All")), *Invitation.State.choices]  # type: ignore[attr-defined]

    def chosen(self) -> dict[str, str]:
        return self.cleaned_data if self.is_valid() else {"search": "", "state": ""}


class RehearsalsForm(ValidatedForm):
    count = forms.IntegerField(label=_("Links for colleagues"), min_value=1, max_value=20, initial=1)


class OpenLinkForm(ValidatedForm):
    service = forms.ChoiceField(
        choices=[("", ""), *Invitation.Service.choices], required=False, widget=forms.HiddenInput
    )


class PreviewForm(ValidatedForm):
    panel = forms.IntegerField(label=_("Panel"), min_value=1, max_value=32767, initial=1)
    seat = forms.IntegerField(label=_("Seat"), min_value=1, max_value=32767, initial=1)
    from_session = forms.IntegerField(label=_("From session"), min_value=0, max_value=32767, initial=0)


class SessionSettingsForm(ValidatedForm):
    ear_check = forms.BooleanField(label=_("Check left and right"), required=False)
    level_check = forms.BooleanField(label=_("Let people set the level before the first clip"), required=False)
    headphone_screen = forms.ChoiceField(label=_("Headphone screen"), choices=SessionSettings.HeadphoneScreen.choices)
    rest_s = forms.IntegerField(
        label=_("Break between sessions, in seconds"),
        min_value=0,
        max_value=600,
        help_text=_("Suggested, never enforced."),
    )
    stated_minutes = forms.IntegerField(
        label=_("Duration to state, in minutes"),
        min_value=1,
        max_value=LONGEST_STATED_MIN,
        required=False,
        help_text=_("Over all sessions, shown to listeners before they agree. Empty: the estimate from the plan."),
    )
    lease_hours = forms.IntegerField(
        label=_("Hours an idle seat is kept"),
        min_value=1,
        max_value=8760,
        help_text=_("Afterwards the next person may get it. Until then the listener can come back."),
    )
    full_code = forms.CharField(label=_("Code when all places are taken"), max_length=40, required=False)
    full_url = forms.CharField(
        label=_("Redirect when all places are taken (URL)"), max_length=LONGEST_URL, required=False
    )
    screen_out_code = forms.CharField(label=_("Code when a person is screened out"), max_length=40, required=False)
    screen_out_url = forms.CharField(
        label=_("Redirect when a person is screened out (URL)"),
        max_length=LONGEST_URL,
        required=False,
        help_text=_("Shown to people who come by a link for many or for Prolific and cannot take part."),
    )
    completion_code = forms.CharField(
        label=_("Completion code for everybody"),
        max_length=40,
        required=False,
        help_text=_("The one that Prolific gives to the study. Empty: everybody gets a code of their own."),
    )
    completion_url = forms.CharField(
        label=_("Redirect after completion (URL)"),
        max_length=LONGEST_URL,
        required=False,
        help_text=_("Begins with https://; {code} is replaced by the completion code."),
    )

    def __init__(self, *args: Any, checks_open: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.changing = CHANGEABLE if checks_open else tuple(set(CHANGEABLE) - set(FIXED_WHILE_LIVE))
        for name in set(self.fields) - set(self.changing):
            self.fields[name].disabled = True
            self.fields[name].required = False

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        for name in filter(cleaned.get, RETURN_URLS):
            try:
                check_return_url(cleaned[name])
            except AppError as error:
                self.add_error(name, error_message(error))
        return cleaned

    def values(self) -> dict[str, Any]:
        """What may be changed at the moment, as it was filled in."""
        return {name: self.value(name) for name in self.changing}


# --- Design -----------------------------------------------------------------------------------------------------------


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
        label=_("Balance across panels"),
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


# --- Paper ------------------------------------------------------------------------------------------------------------


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

    def __init__(self, *args: Any, sheet: Sheet, protocol: Protocol, **kwargs: Any) -> None:
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
            self.add_error(names[0], gettext("Missing. Enter a number, or save a draft."))
        for name, scale in zip(names, self.scales, strict=True):
            value = self.cleaned_data.get(name)
            if given and name not in given:
                self.add_error(name, gettext("Every number of a row is needed: enter this one, or clear the row."))
            elif value is not None:
                low, high = (0.0, 100.0) if percent else (scale.low, scale.high)
                if not low <= value <= high:
                    self.add_error(name, gettext("From %(low)g to %(high)g.") % {"low": low, "high": high})
                else:
                    self.cleaned_data[name] = _on_scale(value, scale, percent=percent)

    def reading(self) -> Reading:
        """The content of a valid form."""
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


class WorkbookForm(ValidatedForm):
    file = forms.FileField(label=_("Workbook that came back (XLSX)"))
    flip = forms.BooleanField(
        label=_("Take positive penalties as negative ones"),
        help_text=_("Only after you have looked at the cells that the report lists."),
        required=False,
    )
    replace = forms.BooleanField(label=_("Where another answer is there already, the workbook counts"), required=False)
    agreed = forms.BooleanField(
        label=_("The assessor has agreed to the consent text, and I hold the agreement."), required=False
    )


class MonitorAlertForm(ValidatedForm):
    by_email = forms.BooleanField(label=_("Tell me by e-mail when something needs attention"), required=False)
    address = forms.EmailField(label=_("E-mail address"), required=False)
