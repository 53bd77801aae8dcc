"""Forms for uploaded tables: votes to analyse, and metrics to compare with votes."""

from typing import Any

from django import forms
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from core.forms import ValidatedForm

MOST_MB = 16


class TableForm(ValidatedForm):
    file = forms.FileField(
        label=_("Table of votes (CSV)"),
        help_text=_(
            "One vote in each row, with the columns listener, item, condition, scale and score. Optional: panel, "
            "session, repetition, role. Any other column is a factor."
        ),
        widget=forms.FileInput(attrs={"accept": ".csv,.tsv,.txt,text/csv"}),
    )
    exclude = forms.CharField(
        label=_("Listeners to exclude"),
        help_text=_("Names as in the table, separated by commas. Means with them are shown beside."),
        max_length=2000,
        required=False,
    )
    model = forms.ChoiceField(
        label=_("Mixed model"),
        choices=[
            ("full", _("Listeners and items, each also by condition (recommended)")),
            ("intercepts", _("Listeners and items only (to compare with other software)")),
        ],
        initial="full",
        required=False,
    )
    ci_method = forms.ChoiceField(
        label=_("Intervals without the model"),
        choices=[
            ("t", _("t distribution")),
            ("normal", _("1.96 standard errors")),
            ("bounded", _("Bounded by the scale (over votes)")),
            ("bootstrap", pgettext_lazy("interval", "Two-way bootstrap as well")),
        ],
        initial="t",
        required=False,
    )

    reference = forms.CharField(
        label=_("Reference condition"),
        help_text=_("Its name as in the table: differences to it are shown apart. Empty: all pairs alone."),
        max_length=200,
        required=False,
    )
    margin = forms.FloatField(
        label=_("Margin of equivalence"),
        help_text=_("In points of the scale: says of each difference whether it is smaller. Empty: no such test."),
        min_value=0.001,
        max_value=1e6,
        required=False,
    )

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        if file.size > MOST_MB * 2**20:
            said = gettext("The table is larger than %(most)s MB. Analyse it with manage.py analyse_votes.")
            raise forms.ValidationError(said % {"most": MOST_MB})
        return file

    def clean_exclude(self) -> list[str]:
        return [name.strip() for name in self.cleaned_data["exclude"].split(",") if name.strip()]

    def clean_model(self) -> str:
        return self.cleaned_data["model"] or "full"

    def clean_ci_method(self) -> str:
        return self.cleaned_data["ci_method"] or "t"


class MetricsForm(ValidatedForm):
    file = forms.FileField(
        label=_("Table of metrics (CSV)"),
        help_text=_(
            "A column file or condition, and either the columns metric and value or a column for each metric. A file "
            "is named CONDITION/ITEM, or by the path that it was imported from; columns item and condition do as well."
        ),
        widget=forms.FileInput(attrs={"accept": ".csv,.tsv,.txt,.xlsx,text/csv"}),
    )
