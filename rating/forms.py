"""What an experimenter fills in about an experiment."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from core.forms import RefusingForm
from core.models import User
from rating.registry import protocols
from stimuli.models import Collection


class ExperimentForm(RefusingForm):
    title = forms.CharField(label=_("Title"), max_length=200, help_text=_("Participants see it."))
    slug = forms.SlugField(
        label=_("Short name"), max_length=50, help_text=_("For addresses: letters, digits, hyphens.")
    )
    collection = forms.ModelChoiceField(label=_("Collection"), queryset=Collection.objects.none(), to_field_name="slug")
    label_set = forms.ChoiceField(label=_("Protocol and labels"))
    consent_text = forms.CharField(
        label=_("Consent text"),
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text=_("What participants agree to. Its exact wording is kept with every consent."),
    )
    contact = forms.CharField(label=_("Contact"), max_length=200, required=False)

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        collection, label_set = self.fields["collection"], self.fields["label_set"]
        collection.queryset = Collection.objects.visible_to(user)  # type: ignore[attr-defined]
        label_set.choices = [  # type: ignore[attr-defined]
            (f"{rules.slug}/{labels.id}", f"{rules.title}: {labels.language}, {labels.status.value}")
            for rules in protocols().values()
            for labels in rules.label_sets
        ]


class ReasonForm(RefusingForm):
    reason = forms.CharField(label=_("Reason"), max_length=500)


class ColleagueForm(RefusingForm):
    colleague = forms.CharField(label=_("Colleague"), max_length=150)
