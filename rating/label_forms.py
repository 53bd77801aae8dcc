"""Form of an own label set: its language, and the words of every scale."""

from collections.abc import Iterator
from typing import Any

from django import forms
from django.utils.translation import get_language_info, gettext
from django.utils.translation import gettext_lazy as _

from core.forms import ValidatedForm
from rating.protocol import LabelSet
from rating.services.label_sets import KNOWN_LANGUAGES, LONGEST_LABEL, LONGEST_QUESTION


class LabelSetForm(ValidatedForm):
    """The words of a set. Scales and numbers are those of the protocol and stay."""

    language = forms.ChoiceField(label=_("Language of the words"))

    def __init__(self, *args: Any, labels: LabelSet, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.labels = labels
        names = {code: gettext(get_language_info(code)["name"]) for code in KNOWN_LANGUAGES}
        self.fields["language"].choices = sorted(names.items(), key=lambda each: each[1])  # type: ignore[attr-defined]
        self.initial["language"] = labels.language
        for key, words in labels.scales.items():
            self._add(f"{key}-question", gettext("Question"), words.question, LONGEST_QUESTION)
            self._add(f"{key}-attend", gettext("What to attend to"), words.attend, LONGEST_QUESTION, required=False)
            if words.word:
                self._add(f"{key}-word", gettext("The scale in one word"), words.word, LONGEST_LABEL, required=False)
            for number, (value, label) in enumerate(words.anchors):
                self._add(f"{key}-{number}", f"{value:g}", label, LONGEST_LABEL)

    def _add(self, name: str, label: str, text: str, most: int, *, required: bool = True) -> None:
        self.fields[name] = forms.CharField(label=label, max_length=most, required=required)
        self.initial[name] = text

    def by_scale(self) -> Iterator[tuple[str, list[forms.BoundField]]]:
        """The fields of each scale, for the page."""
        for key in self.labels.scales:
            yield key, [self[name] for name in self.fields if name.startswith(f"{key}-")]

    def scales(self) -> dict[str, Any]:
        """What the services take."""
        given = self.cleaned_data
        return {
            key: {
                "question": given[f"{key}-question"],
                "attend": given[f"{key}-attend"],
                "word": given.get(f"{key}-word", ""),
                "anchors": [[value, given[f"{key}-{n}"]] for n, (value, _label) in enumerate(words.anchors)],
            }
            for key, words in self.labels.scales.items()
        }
