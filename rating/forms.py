"""Forms of an experiment and of its options."""

import json
from collections.abc import Mapping
from typing import Any, NoReturn

from django import forms
from django.conf import settings
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from audio.loudness import PRESETS, Preset
from core.forms import ValidatedForm, short_name
from core.languages import language_choices
from core.models import User
from rating.label_sets import label_sets_of
from rating.models import Collaborator, Experiment
from rating.options import LARGEST_NUMBER, Kind, kind_of
from rating.protocol import LabelSet, Option, Protocol
from rating.registry import get_protocol, protocols
from rating.services.experiments import usual_label_set
from rating.services.texts import TEXTS, standard_consent
from stimuli.models import Collection

LONGEST_TEXT = 20_000


class MarkdownArea(forms.Textarea):
    """A text and its preview below, which the server makes, and the script while a person types."""

    def render(self, name: str, value: Any, attrs: Any = None, renderer: Any = None) -> SafeString:
        attrs = {"rows": 6, **(attrs or {}), "data-preview": reverse("rating:preview_text")}
        area = super().render(name, value, attrs, renderer)
        return render_to_string("rating/_markdown.html", {"area": area, "text": value or "", "id": attrs.get("id", "")})


class TextsForm(ValidatedForm):
    """The texts that participants read."""

    title = forms.CharField(label=_("Title"), max_length=200, help_text=_("Participants see it."))
    consent_text = forms.CharField(
        label=_("Consent text"),
        widget=MarkdownArea,
        max_length=LONGEST_TEXT,
        help_text=_("What participants agree to, in Markdown. Its exact wording is kept with every consent."),
    )
    instructions = forms.CharField(
        label=_("Instructions"),
        widget=MarkdownArea,
        max_length=LONGEST_TEXT,
        required=False,
        help_text=_("Shown before the first clip, in Markdown. Leave it empty to show the protocol's own."),
    )
    debrief = forms.CharField(
        label=_("Debrief"),
        widget=MarkdownArea,
        max_length=LONGEST_TEXT,
        required=False,
        help_text=_("Shown with the receipt, in Markdown: what the test was about, and thanks."),
    )
    contact = forms.CharField(
        label=_("Contact"), max_length=200, required=False, help_text=_("Whom participants can ask, on every page.")
    )

    def values(self) -> dict[str, Any]:
        """What the services take; browsers send two characters for a line break."""
        texts = {name: self.cleaned_data[name].replace("\r\n", "\n") for name in TEXTS}
        return {**self.cleaned_data, **texts}


class AmendmentForm(TextsForm):
    """Texts of an experiment that went live, and the reason why they change."""

    reason = forms.CharField(
        label=_("Reason for the change"),
        max_length=500,
        help_text=_("Kept in the audit log, and told in the dataset and in the methods text."),
    )

    def __init__(self, *args: Any, experiment: Experiment, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial = {name: getattr(experiment, name) for name in TEXTS}
        if experiment.state == Experiment.State.CLOSED:
            for name in ("consent_text", "instructions"):
                self.fields[name].disabled = True


class ExperimentForm(TextsForm):
    """The fields of a draft, new or not. `material_fixed`: seats were drawn, so the collection and protocol stay."""

    field_order = ["title", "slug", "collection", "label_set", "language"]

    slug = short_name()
    collection = forms.ModelChoiceField(label=_("Collection"), queryset=Collection.objects.none(), to_field_name="slug")
    label_set = forms.ChoiceField(label=_("Protocol and labels"))
    language = forms.ChoiceField(
        label=_("Language"),
        initial=settings.LANGUAGE_CODE,
        help_text=_(
            "Of everything that participants see, except the scale: its words are those of the label set. Where the "
            "two differ, participants are told before they agree. Write the title and the consent text in it."
        ),
    )

    def __init__(
        self,
        *args: Any,
        user: User,
        experiment: Experiment | None = None,
        material_fixed: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        collection, label_set = self.fields["collection"], self.fields["label_set"]
        self.fields["language"].choices = language_choices()  # type: ignore[attr-defined]
        readable = Collection.objects.visible_to(user)
        if experiment:
            readable = readable | Collection.objects.filter(pk=experiment.collection_id)
            self.initial = {**initial_of(experiment), **self.initial}
        collection.queryset = readable  # type: ignore[attr-defined]
        collection.disabled = material_fixed
        label_set.choices = [  # type: ignore[attr-defined]
            choice
            for protocol in protocols().values()
            if not (experiment and material_fixed) or protocol.slug == experiment.protocol
            for choice in labels_of(protocol, experiment)
        ]

    def values(self) -> dict[str, Any]:
        """What the services take: the protocol and its label set are one choice here."""
        fields = super().values()
        protocol, label_set = fields.pop("label_set").split("/", 1)
        return fields | {"protocol": protocol, "label_set": label_set}


class NewExperimentForm(TextsForm):
    """A new experiment: only a title is needed, beside sounds that were uploaded or a collection."""

    field_order = ["title", "contact", "language", "label_set", "slug"]

    protocol = forms.ChoiceField(label=_("Protocol"), widget=forms.RadioSelect)
    collection = forms.ModelChoiceField(
        label=_("Collection"),
        queryset=Collection.objects.none(),
        to_field_name="slug",
        required=False,
        empty_label=_("Upload files instead"),
    )
    level = forms.ChoiceField(
        label=_("Loudness of the clips"),
        widget=forms.RadioSelect,
        required=False,
        help_text=_(
            "By ITU-R BS.1770-4. The files that you upload stay as they are; the experiment gets a collection of "
            "copies, which says of each clip what was done to it."
        ),
    )
    language = forms.ChoiceField(
        label=_("Language"),
        initial=settings.LANGUAGE_CODE,
        help_text=_("Of everything that participants see. Write the title and your own texts in it."),
    )
    label_set = forms.ChoiceField(
        label=_("Labels of the scale"),
        required=False,
        help_text=_("Labels that are a draft can be tried out, but the experiment cannot go live with them."),
    )
    slug = short_name()
    # What the page has shown of the upload: only a proposal that was seen is imported.
    seen = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, user: User, has_upload: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.has_upload = has_upload
        known = protocols()
        for name, choices in {
            "protocol": [(slug, protocol.title) for slug, protocol in known.items()],
            "level": [("", _("As uploaded")), *((f"{one.target_lufs:g}", level_label(one)) for one in PRESETS)],
            "language": language_choices(),
            "label_set": [
                ("", _("Approved labels, in the language above if there are any")),
                *((protocol.title, labels_of(protocol)) for protocol in known.values()),
            ],
        }.items():
            self.fields[name].choices = choices  # type: ignore[attr-defined]
        self.fields["collection"].queryset = Collection.objects.visible_to(user)  # type: ignore[attr-defined]
        self.fields["consent_text"].required = False
        self.fields["consent_text"].help_text = _(
            "What participants agree to, in Markdown. Leave it empty for the standard text; you see it next."
        )
        self.initial = {"protocol": next(iter(known)), "contact": user.email, "level": "", **self.initial}

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if not self.has_upload and not cleaned.get("collection") and "collection" not in self.errors:
            self.add_error("collection", gettext("Upload files above, or choose a collection."))
        label_set, protocol = cleaned.get("label_set", ""), cleaned.get("protocol", "")
        if label_set and protocol and not label_set.startswith(f"{protocol}/"):
            self.add_error("label_set", gettext("These are labels of another protocol."))
        return cleaned

    def values(self) -> dict[str, Any]:
        """What the services take."""
        fields = super().values()
        for name in ("level", "seen", "collection"):
            del fields[name]
        protocol, language = get_protocol(fields.pop("protocol")), fields["language"]
        label_set = fields["label_set"].partition("/")[2] or usual_label_set(protocol, language)
        consent = fields["consent_text"] or standard_consent(language)
        return fields | {"protocol_slug": protocol.slug, "label_set": label_set, "consent_text": consent}


def labels_of(protocol: Protocol, experiment: Experiment | None = None) -> list[tuple[str, str]]:
    """The label sets of a protocol, as a list offers them, with the experiment's own."""
    own = label_sets_of(experiment) if experiment and experiment.protocol == protocol.slug else protocol.label_sets
    return [
        (f"{protocol.slug}/{labels.id}", f"{protocol.title}: {labels.language}, {labels.status.value}{_own(labels)}")
        for labels in own
    ]


def _own(labels: LabelSet) -> str:
    return f" ({labels.id})" if labels.id.startswith("own-") else ""


def level_label(preset: Preset) -> str:
    return gettext("%(target)s LUFS: %(name)s") % {"target": f"{preset.target_lufs:g}", "name": gettext(preset.title)}


def initial_of(experiment: Experiment) -> dict[str, Any]:
    names = ("slug", "language", *TEXTS)
    return {name: getattr(experiment, name) for name in names} | {
        "collection": experiment.collection.slug,
        "label_set": f"{experiment.protocol}/{experiment.label_set}",
    }


class ObjectField(forms.CharField):
    """JSON written by hand; a syntax error is named by its line and column."""

    widget = forms.Textarea(attrs={"rows": 8, "spellcheck": "false", "class": "code"})

    def __init__(self, *, sample: Any = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if sample:
            self.widget.attrs |= {"placeholder": self.prepare_value(sample), "rows": 14}

    def prepare_value(self, value: Any) -> Any:
        return value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False) if value else ""

    def to_python(self, value: Any) -> Any:
        text = super().to_python(value)
        if not text:
            return {}
        try:
            return json.loads(text, parse_constant=_reject_constant)
        except json.JSONDecodeError as problem:
            raise forms.ValidationError(
                gettext("This is not JSON: look at line %(line)s, column %(column)s."),
                params={"line": problem.lineno, "column": problem.colno},
            ) from None
        except (ValueError, RecursionError):
            raise forms.ValidationError(gettext("This JSON holds a number or a depth that cannot be kept.")) from None


def _reject_constant(name: str) -> NoReturn:
    raise ValueError(name)


class OptionsForm(ValidatedForm):
    """The options of a protocol; a field has the name that the option has in the data. `simple`: none in JSON."""

    def __init__(
        self, *args: Any, protocol: Protocol, fixed: bool = False, simple: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        for option in protocol.options:
            if simple and kind_of(protocol, option) is Kind.OBJECT:
                continue
            self.fields[option] = _option_field(protocol, option)
            self.fields[option].disabled = fixed


def _option_field(protocol: Protocol, option: str) -> forms.Field:
    declared = protocol.options[option]
    about: dict[str, Any] = {"label": gettext(declared.label), "help_text": gettext(declared.help)}
    match kind_of(protocol, option):
        case Kind.YES_OR_NO:
            return forms.BooleanField(required=False, **about)
        case Kind.WHOLE_NUMBER:
            return forms.IntegerField(min_value=0, max_value=LARGEST_NUMBER, **about)
        case Kind.NUMBER:
            return forms.FloatField(min_value=0, max_value=LARGEST_NUMBER, **about)
        case Kind.CHOICE:
            return forms.ChoiceField(
                choices=[(word, gettext(label)) for word, label in declared.choices.items()], **about
            )
        case Kind.TEXT:
            return forms.CharField(required=False, **about)
        case Kind.OBJECT:
            return ObjectField(required=False, max_length=100_000, sample=declared.sample, **about)


def shown_options(protocol: Protocol, options: Mapping[str, Any], *, designed: bool) -> list[tuple[str, str]]:
    """The label and the value of each option in words; a design that panels share has its own value for some."""
    return [
        (
            gettext(option.label),
            gettext("set by the design") if designed and option.by_design else _words(option, value),
        )
        for name, value in options.items()
        if (option := protocol.options.get(name))
    ]


def _words(option: Option, value: Any) -> str:
    if isinstance(value, bool):
        return gettext("yes") if value else gettext("no")
    if isinstance(value, dict):
        return gettext("given") if value else gettext("none")
    return gettext(option.choices[value]) if value in option.choices else str(value)


class ReasonForm(ValidatedForm):
    reason = forms.CharField(label=_("Reason"), max_length=500)


class UnblindForm(ValidatedForm):
    reason = forms.CharField(
        label=_("Reason"),
        max_length=500,
        error_messages={"required": _("Say why: the reason is kept in the audit log and shown with the data.")},
    )


class ShareForm(ValidatedForm):
    colleague = forms.CharField(label=_("Colleague"), max_length=150)
    role = forms.ChoiceField(label=_("Role"), choices=Collaborator.Role.choices, initial=Collaborator.Role.EDITOR)


class TransferForm(ValidatedForm):
    colleague = forms.CharField(label=_("New owner"), max_length=150)
    with_collection = forms.BooleanField(label=_("Hand over the collection as well"), required=False)


class DeleteForm(ValidatedForm):
    typed = forms.CharField(label=_("Short name"), max_length=50)


ARCHIVED, BIN, SIMULATIONS = "archived", "bin", "simulations"


class ListForm(ValidatedForm):
    """Search, filter and order of the list of experiments, as they stand in the address."""

    q = forms.CharField(label=_("Search"), required=False, max_length=200)
    show = forms.ChoiceField(
        label=_("Show"),
        required=False,
        choices=[
            ("", _("All")),
            *Experiment.State.choices,
            (ARCHIVED, _("Archived")),
            (SIMULATIONS, _("Simulations")),
            (BIN, _("In the bin")),
        ],
    )
    sort = forms.ChoiceField(
        label=_("Order"),
        required=False,
        choices=[
            ("newest", _("Newest first")),
            ("oldest", _("Oldest first")),
            ("title", _("Title")),
            ("owner", _("Owner")),
            ("answers", _("Most answers")),
        ],
    )

    def chosen(self) -> dict[str, str]:
        """What was chosen; whatever is not offered counts as not chosen."""
        self.is_valid()
        found = {name: self.cleaned_data.get(name, "") for name in self.fields}
        return found | {"sort": found["sort"] or "newest"}
