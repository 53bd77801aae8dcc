"""Form of a questionnaire, made of its questions: the participant's page, the preview, and the check of one answer."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext, ngettext

from rating.questions import CHOICES, NO, YES, Json, Kind, Question

PREFIX = "q"


class QuestionnaireForm(forms.Form):
    """One field a question, under the question's name; what was saved before is its first value."""

    use_required_attribute = False  # the server says what is missing, beside every field at once

    def __init__(
        self, data: Mapping[str, Any] | None = None, *, questions: Sequence[Question], saved: Mapping[str, Json]
    ) -> None:
        super().__init__(data, prefix=PREFIX, initial=dict(saved), label_suffix="")
        for number, question in enumerate(questions, start=1):
            field = self.fields[question.key] = field_of(question)
            field.question, field.number = question, number  # type: ignore[attr-defined]

    def values(self) -> dict[str, Json]:
        """What is stored of each answer."""
        return {name: stored_value(value) for name, value in self.cleaned_data.items()}


def field_of(question: Question) -> forms.Field:
    """The field of a question, which holds all that is checked of an answer."""
    about: dict[str, Any] = {
        "label": question.text,
        "help_text": question.help,
        "required": question.required,
        "error_messages": {"required": gettext("Please answer this question.")},
    }
    if question.kind in CHOICES:
        return _choice_field(question, about)
    if question.kind is Kind.YES_NO:
        choices = [(YES, gettext("Yes")), (NO, gettext("No"))]
        return forms.ChoiceField(choices=choices, widget=forms.RadioSelect, **about)
    if question.kind is Kind.SCALE:
        points = range(int(question.low or 0), int(question.high or 0) + 1)
        choices = [(str(point), str(point)) for point in points]
        return forms.TypedChoiceField(choices=choices, coerce=int, empty_value=None, widget=forms.RadioSelect, **about)
    if question.kind is Kind.NUMBER:
        # As text: a field of type number keeps to itself what it cannot read, so that nobody could be told of it.
        widget = forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off", "class": "question__number"})
        return forms.FloatField(min_value=question.low, max_value=question.high, localize=True, widget=widget, **about)
    area = forms.Textarea(attrs={"rows": 5}) if question.kind is Kind.LONG_TEXT else forms.TextInput()
    return forms.CharField(max_length=question.longest, widget=area, **about)


def _choice_field(question: Question, about: dict[str, Any]) -> forms.Field:
    if question.kind is Kind.ONE:
        return forms.ChoiceField(choices=question.options, widget=forms.RadioSelect, **about)
    return SeveralField(question, choices=question.options, widget=forms.CheckboxSelectMultiple, **about)


class SeveralField(forms.MultipleChoiceField):
    """Several choices, of which there may be a smallest and a largest number."""

    def __init__(self, question: Question, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.least, self.most = question.low, question.high

    def validate(self, value: list[str]) -> None:
        super().validate(value)
        if value and self.least is not None and len(value) < self.least:
            said = ngettext("Choose at least %(n)d.", "Choose at least %(n)d.", int(self.least))
            raise ValidationError(said % {"n": self.least})
        if self.most is not None and len(value) > self.most:
            said = ngettext("Choose at most %(n)d.", "Choose at most %(n)d.", int(self.most))
            raise ValidationError(said % {"n": self.most})


def checked_value(question: Question, given: Json) -> Json:
    """An answer as it is stored, or a ValidationError; a draft may be empty where the answer may not."""
    several = question.kind is Kind.SEVERAL
    if isinstance(given, list) != several or not all(isinstance(each, str) for each in (given if several else [given])):
        raise ValidationError(gettext("This is no answer to the question."))
    field = field_of(question)
    field.required = False
    return stored_value(field.clean(given))


def stored_value(value: Any) -> Json:
    """Empty answers are none; a whole number is stored as one."""
    if value in ("", [], None):
        return None
    return int(value) if isinstance(value, float) and value.is_integer() else value
