"""Form of the page of objective metrics."""

from django import forms
from django.utils.translation import gettext_lazy as _

from core.forms import ValidatedForm


class MetricsForm(ValidatedForm):
    file = forms.FileField(
        label=_("Table of metrics (CSV)"),
        help_text=_(
            "A column file or condition, and either the columns metric and value or a column for each metric. A file "
            "is named CONDITION/ITEM, or by the path that it was imported from; columns item and condition do as well."
        ),
        widget=forms.FileInput(attrs={"accept": ".csv,.tsv,.txt,.xlsx,text/csv"}),
    )
