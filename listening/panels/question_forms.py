"""Form of one question of a questionnaire, for experimenters."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from core.forms import ValidatedForm
from rating.question_definitions import (
    LARGEST_NUMBER,
    LONGEST_ANSWER,
    LONGEST_OPTION,
    LONGEST_PROMPT,
    LONGEST_UNIT,
    free_key,
)
from rating.questions import OWN_FIELDS, SCREENING_FIELDS, Kind, Place, Question

PLACES = {
    Place.SCREENING: _("Screening, before consent"),
    Place.BEFORE: _("Before the first clip"),
    Place.AFTER: _("After the last clip"),
}
COMMENT = "comment"  # a free text, which no screening can judge
KINDS = {
    Kind.ONE: _("One of several options"),
    Kind.SEVERAL: _("Any of several options"),
    Kind.NUMBER: _("Number"),
    Kind.SHORT_TEXT: _("Text of one line"),
    Kind.LONG_TEXT: _("Text of several lines"),
    Kind.YES_NO: _("Yes or no"),
    Kind.SCALE: _("Scale of points"),
}


class QuestionForm(ValidatedForm):
    """An own question, or the place of a ready-made one. The page hides what the chosen kind does not take."""

    text = forms.CharField(
        label=_("Question"), max_length=LONGEST_PROMPT, help_text=_("In the language of the experiment.")
    )
    help = forms.CharField(label=_("Explanation below it"), max_length=LONGEST_PROMPT, required=False)
    place = forms.ChoiceField(label=_("When it is asked"), choices=list(PLACES.items()))
    kind = forms.ChoiceField(label=_("Kind of answer"), choices=list(KINDS.items()))
    options = forms.CharField(
        label=_("Options, one per line"),
        required=False,
        max_length=30 * (LONGEST_OPTION + 2),
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text=_("In the order in which they are shown. The download contains them as you write them."),
    )
    low = forms.FloatField(
        label=_("Smallest value"),
        required=False,
        min_value=-LARGEST_NUMBER,
        max_value=LARGEST_NUMBER,
        help_text=_("Of a number or a scale; where several options can be chosen, the fewest of them."),
    )
    high = forms.FloatField(
        label=_("Largest value"), required=False, min_value=-LARGEST_NUMBER, max_value=LARGEST_NUMBER
    )
    unit = forms.CharField(label=_("Unit"), max_length=LONGEST_UNIT, required=False, help_text=_("Such as years or h."))
    low_label = forms.CharField(label=_("Words at the lowest point"), max_length=LONGEST_OPTION, required=False)
    high_label = forms.CharField(label=_("Words at the highest point"), max_length=LONGEST_OPTION, required=False)
    longest = forms.IntegerField(
        label=_("Longest answer, in characters"), required=False, min_value=1, max_value=max(LONGEST_ANSWER.values())
    )
    accepted = forms.CharField(
        label=_("Accepted answers, one per line"),
        required=False,
        max_length=30 * (LONGEST_OPTION + 2),
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_(
            "Those options that let a person take part; of yes or no, the word yes or no. Everybody else sees a page "
            "that thanks them, and nothing about them is stored."
        ),
    )
    accept_low = forms.FloatField(
        label=_("Accepted from"), required=False, min_value=-LARGEST_NUMBER, max_value=LARGEST_NUMBER
    )
    accept_high = forms.FloatField(
        label=_("Accepted up to"), required=False, min_value=-LARGEST_NUMBER, max_value=LARGEST_NUMBER
    )
    required = forms.BooleanField(label=_("An answer is required"), required=False, initial=True)
    key = forms.CharField(
        label=_("Column name in downloads"),
        required=False,
        max_length=40,
        help_text=_("Small letters, digits and underscores. Leave it empty to derive it from the question."),
    )

    def __init__(self, *args: Any, question: Question | None = None, taken: Sequence[str] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial = {**self.initial, **(_initial(question) if question else {})}
        self.question, self.taken = question, [key for key in taken if not (question and key == question.key)]
        if question and question.ready:
            for name in self.fields.keys() - {"place", "required"}:
                del self.fields[name]
            if question.ready != COMMENT:
                self.fields["accepted"] = _ready_answers(question)

    def definition(self) -> dict[str, Any]:
        """What the services take: the fields of the kind, as far as they are filled in."""
        given = self.cleaned_data
        shared = {"place": given["place"], "required": given["required"]}
        screening = given["place"] == Place.SCREENING
        if self.question and self.question.ready:
            accepted = {"accepted": given["accepted"]} if screening and "accepted" in given else {}
            return {"ready": self.question.ready, **shared, **accepted}
        kind = Kind(given["kind"])
        names = (*OWN_FIELDS[kind], *(SCREENING_FIELDS.get(kind, ()) if screening else ()))
        own = {name: given[name] for name in names if given[name] not in (None, "")}
        for name in own.keys() & {"options", "accepted"}:
            own[name] = [line.strip() for line in own[name].splitlines() if line.strip()]
        key = given["key"] or free_key(given["text"], self.taken)
        return {"key": key, "kind": given["kind"], "text": given["text"], "help": given["help"], **shared, **own}


def _ready_answers(question: Question) -> forms.Field:
    return forms.MultipleChoiceField(
        label=_("Accepted answers"),
        choices=question.translated(gettext).options,
        widget=forms.CheckboxSelectMultiple,
        required=False,
        help_text=_("In a screening: everybody else sees a page that thanks them, and nothing about them is stored."),
    )


def _initial(question: Question) -> dict[str, Any]:
    names = ("text", "help", "place", "kind", "low", "high", "unit", "low_label", "high_label", "required", "key")
    shown = {name: getattr(question, name) for name in names}
    shown |= {name: getattr(question, name) for name in ("accept_low", "accept_high")}
    accepted = list(question.accepted) if question.ready else "\n".join(question.accepted)
    options = "\n".join(label for _value, label in question.options)
    return shown | {"options": options, "longest": question.longest or None, "accepted": accepted}
