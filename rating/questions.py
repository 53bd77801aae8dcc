"""Questions of a questionnaire as participants read them, and the ready-made ones; plain Python."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any

from core.i18n import gettext_noop as _

Json = Any

SEPARATOR = "|"  # between the choices of one person in a download


class Place(StrEnum):
    """When a question is asked."""

    SCREENING = "screening"  # before consent; nothing of the answers is stored
    BEFORE = "before"  # after consent, before the sound check
    AFTER = "after"  # after the last clip, before the receipt


class Kind(StrEnum):
    """What sort of answer a question takes."""

    ONE = "one"
    SEVERAL = "several"
    NUMBER = "number"
    SHORT_TEXT = "short_text"
    LONG_TEXT = "long_text"
    YES_NO = "yes_no"
    SCALE = "scale"


CHOICES = (Kind.ONE, Kind.SEVERAL)
TEXTS = (Kind.SHORT_TEXT, Kind.LONG_TEXT)
# Beside key, place, kind, text, help and required, which every question has.
OWN_FIELDS: Mapping[Kind, tuple[str, ...]] = {
    Kind.ONE: ("options",),
    Kind.SEVERAL: ("options", "low", "high"),
    Kind.NUMBER: ("low", "high", "unit"),
    Kind.SHORT_TEXT: ("longest",),
    Kind.LONG_TEXT: ("longest",),
    Kind.YES_NO: (),
    Kind.SCALE: ("low", "high", "low_label", "high_label"),
}
SHARED_FIELDS = ("key", "place", "kind", "text", "help", "required")
READY_FIELDS = ("ready", "place", "required")
# What a question of the screening says besides: which answers let a person in.
SCREENING_FIELDS: Mapping[Kind, tuple[str, ...]] = {
    Kind.ONE: ("accepted",),
    Kind.YES_NO: ("accepted",),
    Kind.NUMBER: ("accept_low", "accept_high"),
    Kind.SCALE: ("accept_low", "accept_high"),
}
YES, NO = "yes", "no"


@dataclass(frozen=True)
class Question:
    """A question as participants read it. An option is a value, as it is stored, and a label."""

    key: str
    place: Place
    kind: Kind
    text: str
    help: str = ""
    required: bool = True
    options: tuple[tuple[str, str], ...] = ()
    low: float | None = None  # of a number or a scale; of several choices, how many must be made
    high: float | None = None
    unit: str = ""
    low_label: str = ""
    high_label: str = ""
    longest: int = 0  # characters of a text
    accepted: tuple[str, ...] = ()  # in the screening, the values that let a person in, or their limits
    accept_low: float | None = None
    accept_high: float | None = None
    ready: str = ""  # the name of a ready-made question, whose words are translated with the pages

    @property
    def is_text(self) -> bool:
        return self.kind in TEXTS

    def stored(self) -> dict[str, Json]:
        """The definition as JSON: what the kind needs, and of a ready-made question only its name and its place."""
        fields = asdict(self) | {"options": [label for _value, label in self.options], "accepted": list(self.accepted)}
        names = READY_FIELDS if self.ready else (*SHARED_FIELDS, *OWN_FIELDS[self.kind])
        screening = SCREENING_FIELDS.get(self.kind, ()) if self.place is Place.SCREENING else ()
        return {name: fields[name] for name in (*names, *screening)}

    @property
    def values(self) -> tuple[str, ...]:
        """The values of a choice of one."""
        return (YES, NO) if self.kind is Kind.YES_NO else tuple(value for value, _label in self.options)

    def lets_in(self, value: Json) -> bool:
        """Whether this answer to a question of the screening is accepted."""
        if self.accepted:
            return value in self.accepted
        low, high = self.accept_low, self.accept_high
        return value is not None and (low is None or value >= low) and (high is None or value <= high)

    def translated(self, gettext: Callable[[str], str]) -> "Question":
        """The question in the reader's language; an own question is in the language in which it was written."""
        if not self.ready:
            return self
        options = tuple((value, gettext(label)) for value, label in self.options)
        return replace(self, text=gettext(self.text), help=gettext(self.help) if self.help else "", options=options)


UNSAID = ("unsaid", _("I prefer not to say"))
READY = {
    question.ready: question
    for question in (
        Question(
            key="age_band",
            ready="age_band",
            place=Place.BEFORE,
            kind=Kind.ONE,
            text=_("How old are you?"),
            options=(
                ("under_18", _("Under 18")),
                ("18_24", _("18 to 24")),
                ("25_34", _("25 to 34")),
                ("35_44", _("35 to 44")),
                ("45_54", _("45 to 54")),
                ("55_64", _("55 to 64")),
                ("65_over", _("65 or over")),
                UNSAID,
            ),
        ),
        Question(
            key="hearing",
            ready="hearing",
            place=Place.BEFORE,
            kind=Kind.ONE,
            text=_("How well do you hear?"),
            options=(
                ("normal", _("Normally, as far as I know")),
                ("one_ear", _("Less well with one ear")),
                ("both_ears", _("Less well with both ears")),
                ("aid", _("With a hearing aid or an implant")),
                UNSAID,
            ),
        ),
        Question(
            key="equipment",
            ready="equipment",
            place=Place.BEFORE,
            kind=Kind.ONE,
            text=_("What do you listen with?"),
            options=(
                ("headphones", _("Headphones that cover or rest on the ears")),
                ("earphones", _("Earphones in the ears")),
                ("loudspeakers", _("Separate loudspeakers")),
                ("built_in", _("Loudspeakers of the computer, tablet or phone")),
                ("other", _("Something else")),
            ),
        ),
        Question(
            key="comment",
            ready="comment",
            place=Place.AFTER,
            kind=Kind.LONG_TEXT,
            text=_("Is there anything that you want to tell us about this test?"),
            help=_("Please do not write your name or anything else by which you can be recognised."),
            required=False,
            longest=2000,
        ),
    )
}
