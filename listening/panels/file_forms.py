"""Forms of experiments that come from files."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from core.forms import ValidatedForm
from core.models import User
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
