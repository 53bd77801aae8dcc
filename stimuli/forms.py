"""Forms of collections, loudness normalisation and the clock of a recording."""

from typing import TYPE_CHECKING, Any, cast
from uuid import UUID

from django import forms
from django.utils.translation import gettext_lazy as _

from audio.loudness import PRESETS
from core.forms import ValidatedForm, short_name
from stimuli.models import Collection, Condition
from stimuli.services import normalisation
from stimuli.services.corrections import LONGEST_REASON
from stimuli.times_of_day import seconds_of, written


class CollectionForm(ValidatedForm):
    title = forms.CharField(label=_("Title"), max_length=200, help_text=_("Only you and your colleagues see it."))
    slug = short_name()


class RenameForm(ValidatedForm):
    title = forms.CharField(label=_("Title"), max_length=200)


class HandOverForm(ValidatedForm):
    colleague = forms.CharField(label=_("New owner"), max_length=150)


class RolesForm(ValidatedForm):
    """The role of every condition of a collection, a field each."""

    def __init__(self, *args: Any, collection: Collection, **kwargs: Any) -> None:
        super().__init__(*args, auto_id="role_%s", **kwargs)
        for condition in collection.conditions.all():
            self.fields[str(condition.pk)] = forms.ChoiceField(
                label=condition.name, choices=Condition.Role.choices, initial=condition.role
            )

    def roles(self) -> dict[UUID, str]:
        return {UUID(name): role for name, role in self.cleaned_data.items()}


class CollectionSearchForm(ValidatedForm):
    q = forms.CharField(label=_("Search"), max_length=200, required=False)

    def words(self) -> str:
        return str(self.cleaned_data["q"]) if self.is_valid() else ""


class DeleteCollectionForm(ValidatedForm):
    typed = forms.CharField(label=_("Short name of the collection"), max_length=50)


class ExclusionForm(ValidatedForm):
    EXCLUDE, INCLUDE = "exclude", "include"

    change = forms.ChoiceField(choices=[(EXCLUDE, EXCLUDE), (INCLUDE, INCLUDE)])
    reason = forms.CharField(label=_("Reason"), max_length=500, required=False)


class LevelForm(ValidatedForm):
    target_lufs = forms.FloatField(
        label=_("Loudness in LUFS"),
        min_value=normalisation.LOWEST_LUFS,
        max_value=normalisation.HIGHEST_LUFS,
        help_text=_("-30 as in CHiME-7 UDASE, -26 as usual for speech tests, -23 as in EBU R 128."),
        widget=forms.NumberInput(attrs={"step": "0.1", "list": "level-presets"}),
    )
    title = forms.CharField(label=_("Title of the copy"), max_length=200)
    slug = short_name(label=_("Short name of the copy"), required=True, help_text="")

    @staticmethod
    def proposal(slug: str, title: str) -> dict[str, object]:
        """The first preset, and names that say so."""
        target = PRESETS[0].target_lufs
        return {
            "target_lufs": target,
            "title": normalisation.copy_title(title, target),
            "slug": f"{slug[:40]}-{abs(target):g}lufs",
        }


class CorrectionForm(ValidatedForm):
    """What is to be done about the files of a checked import; the chosen paths come as `path`, any number of them."""

    LEAVE_OUT, LEAVE_OUT_ERRORS, TAKE_BACK, CHECK, ADD = "leave-out", "leave-out-errors", "take-back", "check", "add"
    CHANGES = (LEAVE_OUT, LEAVE_OUT_ERRORS, TAKE_BACK, CHECK, ADD)

    change = forms.ChoiceField(choices=[(name, name) for name in CHANGES], required=False)
    # One file, by the button beside it.
    file = forms.CharField(max_length=1000, required=False, strip=False)
    reason = forms.CharField(
        label=_("Reason for leaving files out (optional)"), max_length=LONGEST_REASON, required=False
    )


# --- The clock of a recording -----------------------------------------------------------------------------------------


class TimeField(forms.CharField):
    """A time as HH:MM:SS, of a clock or since the file's beginning; in seconds to the program."""

    def prepare_value(self, value: Any) -> Any:
        return written(value) if isinstance(value, float) else value

    def to_python(self, value: Any) -> Any:
        text = super().to_python(value)
        seconds = seconds_of(text) if text else None
        if text and seconds is None:
            raise forms.ValidationError(_("Write a time as 06:30 or 06:30:00."))
        return seconds


class ClockChangeForm(ValidatedForm):
    """Which of the page's changes was asked for."""

    START, STRETCHES, ONE_STRETCH, DETECTED = "start", "stretches", "one-stretch", "detected"

    change = forms.ChoiceField(choices=[(name, name) for name in (START, STRETCHES, ONE_STRETCH, DETECTED)])


class StartForm(ValidatedForm):
    starts_at = TimeField(label=_("Start time of day"), help_text=_("Hours, minutes and, if need be, seconds: 06:30."))

    def reject(self, sentence: str) -> None:
        self.add_error("starts_at", sentence)


class StretchForm(ValidatedForm):
    start = TimeField(label=_("From, in the file"))
    stop = TimeField(label=_("To, in the file"))
    clock = TimeField(label=_("Began at, by the clock"))


if TYPE_CHECKING:
    ManyStretchForms = forms.BaseFormSet[StretchForm]
else:
    ManyStretchForms = forms.BaseFormSet  # it is generic to the type checker only


class Stretches(ManyStretchForms):
    """The stretches of a clock, one a line, with empty lines for more."""

    def kept(self) -> list[dict[str, float]]:
        """What is filled in and not to be removed."""
        rows = [form.cleaned_data for form in self.forms]
        return [row for row in rows if row and not row.get("DELETE")]

    def reject(self, sentence: str) -> None:
        self.non_form_errors().append(sentence)


StretchForms = cast(
    "type[Stretches]", forms.formset_factory(StretchForm, formset=Stretches, extra=2, can_delete=True, max_num=500)
)


class QuotaForm(ValidatedForm):
    """What one person may store; empty: as much as everybody."""

    quota_gb = forms.FloatField(label=_("Quota in GB"), required=False, min_value=0, max_value=1_000_000)
