"""Forms for uploaded tables: votes to analyse, and metrics to compare with votes."""

from typing import Any

from django import forms
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from analysis.votes_table.options import parse_names, parse_range
from core.forms import ValidatedForm
from rating.analysis_plan import LARGEST_MARGIN

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

    factors = forms.CharField(
        label=_("Fixed effects of the model"),
        help_text=_(
            "Columns of the table beside the condition, separated by commas, such as panel, session. Each has 2 to 30 "
            "different values; means by level are shown of all of them."
        ),
        max_length=500,
        required=False,
    )
    ranges = forms.CharField(
        label=_("Ranges of the scores"),
        help_text=_("Such as 1:5 for all scales, or SIG=1:5, LOUD=0:100. Empty: found by name and votes."),
        max_length=500,
        required=False,
    )
    reference = forms.CharField(
        label=_("Reference condition"),
        help_text=_("Differences are to this one. Empty: all pairs."),
        max_length=200,
        required=False,
    )
    margin = forms.FloatField(
        label=_("Margin of equivalence"),
        help_text=_("In points of the scale, such as 0.2: which differences are shown to be smaller."),
        min_value=0.001,
        max_value=LARGEST_MARGIN,
        required=False,
        widget=forms.NumberInput(attrs={"step": "any"}),
    )
    metrics = forms.FileField(
        label=_("Objective metrics (CSV)"),
        help_text=_(
            "Values of PESQ, DNSMOS or any other measure. A column file (CONDITION/ITEM) or condition, and a column "
            "for each metric or the columns metric and value."
        ),
        required=False,
        widget=forms.FileInput(attrs={"accept": ".csv,.tsv,.txt,text/csv"}),
    )
    seed = forms.IntegerField(
        label=_("Seed of the bootstrap"), min_value=0, max_value=2**31 - 1, initial=0, required=False
    )

    basic = ("file", "exclude", "reference", "margin")
    further = ("model", "factors", "ci_method", "seed", "ranges", "metrics")

    def clean_file(self) -> Any:
        return _checked_size(self.cleaned_data["file"])

    def clean_metrics(self) -> Any:
        return _checked_size(self.cleaned_data["metrics"])

    def clean_exclude(self) -> list[str]:
        return parse_names(self.cleaned_data["exclude"])

    def clean_factors(self) -> list[str]:
        return parse_names(self.cleaned_data["factors"])

    def clean_ranges(self) -> dict[str, tuple[float, float]]:
        found: dict[str, tuple[float, float]] = {}
        for text in parse_names(self.cleaned_data["ranges"]):
            read = parse_range(text)
            if read is None:
                said = gettext(
                    "'%(text)s' is no range. Write the lowest and the highest score, such as 1:5 or SIG=1:5."
                )
                raise forms.ValidationError(said % {"text": text[:80]})
            found[read[0]] = read[1]
        return found

    def clean_model(self) -> str:
        return self.cleaned_data["model"] or "full"

    def clean_ci_method(self) -> str:
        return self.cleaned_data["ci_method"] or "t"

    def clean_seed(self) -> int:
        return self.cleaned_data["seed"] or 0


def _checked_size(file: Any) -> Any:
    if file and file.size > MOST_MB * 2**20:
        said = gettext("The table is larger than %(most)s MB. Analyse it with manage.py analyse_votes.")
        raise forms.ValidationError(said % {"most": MOST_MB})
    return file


class MetricsForm(ValidatedForm):
    file = forms.FileField(
        label=_("Table of metrics (CSV)"),
        help_text=_(
            "A column file or condition, and either the columns metric and value or a column for each metric. A file "
            "is named CONDITION/ITEM, or by the path that it was imported from; columns item and condition do as well."
        ),
        widget=forms.FileInput(attrs={"accept": ".csv,.tsv,.txt,.xlsx,text/csv"}),
    )
