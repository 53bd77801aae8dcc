"""Forms of experiments that come from files."""

from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from core.forms import ValidatedForm
from core.models import User
from listening.elsewhere.p808 import fitting_protocols
from rating.protocol import PageHolds
from rating.registry import protocols
from stimuli.models import Collection


class FromFileForm(ValidatedForm):
    """An experiment's file, and the collection where the file is a template."""

    file = forms.FileField(
        label=_("File"),
        help_text=_("A YAML file, as downloaded from the overview of an experiment or written by hand."),
        widget=forms.FileInput(attrs={"accept": ".yaml,.yml,application/yaml"}),
    )
    collection = forms.ModelChoiceField(
        label=_("Collection"),
        queryset=Collection.objects.none(),
        to_field_name="slug",
        required=False,
        empty_label=_("The one that the file names"),
        help_text=_("A file without a collection is a template: choose the sounds here."),
    )

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["collection"].queryset = Collection.objects.visible_to(user)  # type: ignore[attr-defined]


MOST_MB = 64  # deploy/nginx.conf


class FromElsewhereForm(ValidatedForm):
    """A test that was made for webMUSHRA or the P.808 toolkit, and where its sounds are."""

    file = forms.FileField(
        label=_("Test"),
        help_text=_(
            "A zip with the configuration and the sounds; or the configuration alone (YAML of webMUSHRA, "
            "rating_clips.csv of the P.808 toolkit) where the sounds are in a collection."
        ),
        widget=forms.FileInput(attrs={"accept": ".zip,.yaml,.yml,.csv"}),
    )
    collection = forms.ModelChoiceField(
        label=_("Sounds"),
        queryset=Collection.objects.none(),
        to_field_name="slug",
        required=False,
        empty_label=_("In the zip"),
        help_text=_("Sounds of a collection are found by the paths that they were uploaded with."),
    )
    protocol = forms.ChoiceField(
        label=_("Protocol of P.808 tables"),
        required=False,
        help_text=_("The tables of the toolkit do not say what was asked. webMUSHRA's pages do."),
    )

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["collection"].queryset = Collection.objects.visible_to(user)  # type: ignore[attr-defined]
        known = list(protocols().values())
        fitting = [one for holds in (PageHolds.STIMULUS, PageHolds.PAIR) for one in fitting_protocols(known, holds)]
        self.fields["protocol"].choices = [  # type: ignore[attr-defined]
            ("", _("The first that fits")),
            *((one.slug, one.title) for one in fitting),
        ]

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        if file.size > MOST_MB * 2**20:
            said = gettext(
                "The file is larger than %(most)s MB. Upload the sounds as a collection first, and send the "
                "configuration alone."
            )
            raise forms.ValidationError(said % {"most": MOST_MB})
        return file
