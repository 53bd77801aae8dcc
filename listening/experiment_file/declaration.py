"""Declaration of an experiment's file: every key with its values; the checker and the JSON schema both follow it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.conf import settings

from core.i18n import LazyMessage
from listening.design.base import IMPORTED
from listening.design.orders.presets import PRESETS
from listening.experiment_file.values import (
    Anything,
    Choice,
    Flag,
    Key,
    ListOf,
    MapOf,
    Number,
    Record,
    Text,
    Value,
)
from listening.models import LONGEST_STATED_MIN, SessionSettings
from listening.panels.services.session_settings import LONGEST_URL
from rating.analysis_plan import LARGEST_MARGIN
from rating.options import LARGEST_NUMBER, Kind, kind_of
from rating.protocol import Protocol
from rating.question_definitions import MOST_QUESTIONS
from rating.registry import protocols
from rating.services.attention import MOST_REPEATS
from rating.services.label_sets import MOST_SETS
from stimuli.models import Condition

FORMAT = 1  # counts changes after which older files can no longer be read
LONGEST_TEXT = 20_000
LONGEST_OPTION = 10_000
MOST_STIMULI, MOST_CONDITIONS, MOST_PANELS, MOST_SEATS = 20_000, 1000, 99, 1000
LONGEST_SEAT_FILE = 2**20
LARGEST_THRESHOLD = 10**6
SHA256 = Text(64, pattern="[0-9a-f]{64}", form=LazyMessage("64 digits of a SHA-256"))
SLUG = Text(50, pattern="[-a-zA-Z0-9_]+", form=LazyMessage("letters without accents, digits, hyphens and underscores"))
NAME = Text(200, needed=True)

TEXTS = Record(
    {
        "consent": Key(Text(LONGEST_TEXT, needed=True), "What participants agree to, in Markdown."),
        "instructions": Key(Text(LONGEST_TEXT), "Shown before the first clip; empty: the protocol's own."),
        "debrief": Key(Text(LONGEST_TEXT), "Shown with the receipt."),
    }
)
SESSION = Record(
    {
        "ear_check": Key(Flag(), "Check left and right before the first clip."),
        "level_check": Key(Flag(), "Let people set the level before the first clip."),
        "headphone_screen": Key(Choice(SessionSettings.HeadphoneScreen.values), "Whether headphones are screened for."),
        "rest_s": Key(Number(0, 600), "Suggested break between sessions, in seconds."),
        "lease_hours": Key(Number(1, 8760), "Hours of absence after which a seat may be given away."),
        "stated_minutes": Key(
            Number(1, LONGEST_STATED_MIN), "Duration that participants read instead of the estimate."
        ),
        "completion_url": Key(Text(LONGEST_URL), "Where the receipt leads back to; {code} stands for the code."),
        "full_code": Key(Text(40), "Code for people who come when all places are taken."),
        "full_url": Key(Text(LONGEST_URL), "Where they are led back to."),
        "screen_out_code": Key(Text(40), "Code for people who are screened out."),
        "screen_out_url": Key(Text(LONGEST_URL), "Where they are led back to."),
    }
)
COLLECTION = Record(
    {
        "short_name": Key(SLUG, "Short name of the collection."),
        "title": Key(Text(200), "Its title, for people."),
        "conditions": Key(
            MapOf(Choice(Condition.Role.values), MOST_CONDITIONS), "Every condition with its role.", required=True
        ),
        "stimuli": Key(
            MapOf(MapOf(SHA256, MOST_CONDITIONS), MOST_STIMULI),
            "For every item its conditions, each with the SHA-256 of its sound or text.",
            required=True,
        ),
    }
)
OWN_LABEL_SET = Record(
    {
        "name": Key(
            Text(100, pattern="own-[-a-z0-9]+", form=LazyMessage("a name such as own-pt-1")),
            "Name of the set; where another experiment has it, another is given.",
            required=True,
        ),
        "language": Key(Text(10, needed=True), "Code of the language, such as pt or pt-br.", required=True),
        "based_on": Key(Text(100), "The set that was copied."),
        "approved": Key(Flag(), "Whether the words were checked; without that, the experiment cannot go live."),
        "scales": Key(
            Anything(), "For every scale: question, attend, word, and anchors (values and words).", required=True
        ),
    }
)
CHECKS = Record(
    {
        "repeats": Key(Number(0, MOST_REPEATS), "How many clips every listener hears twice."),
        "clips": Key(
            ListOf(
                Record(
                    {
                        "item": Key(NAME, "The item of the clip.", required=True),
                        "condition": Key(NAME, "Its condition, of the role trap or gold.", required=True),
                        "expected": Key(
                            Text(200, needed=True), "The expected answer, such as 4 to 5, or SIG 1, OVRL 1 to 2."
                        ),
                    }
                ),
                MOST_STIMULI,
            ),
            "Trap and gold clips that are used.",
        ),
    }
)
EXTENSION = Record(
    {
        "listeners": Key(Number(0, MOST_SEATS), "Listeners that were added to each panel."),
        "panels": Key(Number(0, MOST_PANELS), "Panels that were added."),
        "reason": Key(Text(LONGEST_TEXT), "Why."),
        "sha256": Key(SHA256, "Hash of the design with the extension; where it is given, another is refused."),
    }
)
DESIGN = Record(
    {
        "preset": Key(Choice([*PRESETS, IMPORTED]), "How sequences are laid out.", required=True),
        "panels": Key(Number(1, MOST_PANELS), "How many panels."),
        "seats": Key(Number(1, MOST_SEATS), "Listeners in each panel."),
        "size": Key(Number(1, 10_000), "Items for each panel."),
        "sessions": Key(Number(1, 99), "Sessions of each listener."),
        "factors": Key(ListOf(NAME, 100), "Factors of items that are balanced across panels."),
        "conditions": Key(ListOf(NAME, MOST_CONDITIONS), "The rated conditions; empty or missing: all."),
        "seed": Key(Text(64), "The same seed over the same collection makes the same design."),
        "sha256": Key(SHA256, "Hash of the design; where it is given, another design is refused."),
        "extensions": Key(ListOf(EXTENSION, 100), "Listeners and panels that were added later, in their order."),
        "files": Key(
            MapOf(Text(LONGEST_SEAT_FILE), MOST_PANELS * MOST_SEATS),
            f"For the preset {IMPORTED} alone: the sequence of every seat as CSV, by file name.",
        ),
    }
)
PLAN = Record(
    {
        "scale": Key(Text(40, needed=True), "The primary scale.", required=True),
        "against": Key(Text(200), "The condition that the others are compared with; missing: all pairs."),
        "margin": Key(Number(0, int(LARGEST_MARGIN), whole=False), "Margin of equivalence, in points."),
        "model": Key(Text(40), "The model: mixed, or listeners for means over listeners."),
        "rules": Key(
            MapOf(Number(0, LARGEST_THRESHOLD, whole=False), 100), "Rules of exclusion, each with its threshold."
        ),
    }
)
PANEL = Record(
    {
        "seats": Key(Number(1, MOST_SEATS), "How many seats.", required=True),
        "group": Key(Text(20), "The group of people, where the protocol tells groups apart."),
    }
)


def experiment_record(protocol: Protocol | None = None, own_label_sets: Sequence[str] = ()) -> Record:
    """The keys of a file; with a protocol, its options and label sets are known, those of the file among them."""
    options: Value = Anything()
    label_set: Value = Text(100)
    if protocol is not None:
        options = Record({name: _option(protocol, name) for name in protocol.options})
        label_set = Choice([*(labels.id for labels in protocol.label_sets), *own_label_sets])
    return Record(
        {
            "earmark": Key(Choice([FORMAT]), "Version of this format.", required=True),
            "title": Key(NAME, "Participants see it.", required=True),
            "short_name": Key(SLUG, "For addresses; missing or taken: derived from the title."),
            "protocol": Key(Choice(list(protocols())), "What is asked.", required=True),
            "label_set": Key(label_set, "Words of the scale; missing: an approved one in the language."),
            "language": Key(Choice([code for code, _name in settings.LANGUAGES]), "Of everything participants see."),
            "contact": Key(Text(200), "Whom participants can ask."),
            "seed": Key(Text(64), "Seed of the seats' orders and of blinding; missing: drawn."),
            "texts": Key(TEXTS, "What participants read."),
            "options": Key(options, "Options of the protocol; those that are missing have their defaults."),
            "session": Key(SESSION, "Checks, breaks and ways back; what is missing has its default."),
            "label_sets": Key(ListOf(OWN_LABEL_SET, MOST_SETS), "Label sets of the experiment's own."),
            "questions": Key(
                ListOf(Anything(), MOST_QUESTIONS),
                "Of the screening, before the clips and after them, each as the API takes it.",
            ),
            "checks": Key(CHECKS, "Attention checks."),
            "analysis_plan": Key(PLAN, "What is written down of the analysis before going live."),
            "collection": Key(COLLECTION, "The sounds. Without it the file is a template, and one is chosen later."),
            "design": Key(DESIGN, "Panels that are laid out together."),
            "panels": Key(ListOf(PANEL, MOST_PANELS), "Panels whose seats are drawn one by one, in place of a design."),
        }
    )


def file_problems(value: Any) -> Iterator[LazyMessage]:
    """Everything that is wrong with the values of a file, each with its path."""
    known = protocols().get(_named(value)) if isinstance(value, Mapping) else None
    yield from experiment_record(known, _own_label_sets(value)).problems(value, "")
    if isinstance(value, Mapping) and "design" in value and "panels" in value:
        yield LazyMessage("`design` and `panels` exclude each other: seats are laid out together or one by one.")


def json_schema(address: str = "") -> dict[str, Any]:
    """The same declaration as JSON schema; options and label sets follow from the protocol."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **({"$id": address} if address else {}),
        "title": "Earmark experiment",
        **experiment_record().schema(),
        "not": {"required": ["design", "panels"]},
        "allOf": [
            {
                "if": {"properties": {"protocol": {"const": slug}}, "required": ["protocol"]},
                "then": {"properties": _depending(protocol)},
            }
            for slug, protocol in protocols().items()
        ],
    }


def _depending(protocol: Protocol) -> dict[str, Any]:
    keys = experiment_record(protocol).keys
    sets = {"anyOf": [keys["label_set"].value.schema(), OWN_LABEL_SET.keys["name"].value.schema()]}
    return {"label_set": sets, "options": keys["options"].value.schema()}


def _own_label_sets(value: Any) -> list[str]:
    """The names of the label sets in a file, as far as they can be read."""
    listed = value.get("label_sets") if isinstance(value, Mapping) else None
    names = [one.get("name") for one in listed if isinstance(one, Mapping)] if isinstance(listed, list) else []
    return [name for name in names if isinstance(name, str)]


def _named(value: Mapping[str, Any]) -> str:
    protocol = value.get("protocol")
    return protocol if isinstance(protocol, str) else ""


def _option(protocol: Protocol, name: str) -> Key:
    declared = protocol.options[name]
    match kind_of(protocol, name):
        case Kind.YES_OR_NO:
            value: Value = Flag()
        case Kind.WHOLE_NUMBER:
            value = Number(0, LARGEST_NUMBER)
        case Kind.NUMBER:
            value = Number(0, LARGEST_NUMBER, whole=False)
        case Kind.CHOICE:
            value = Choice(list(declared.choices))
        case Kind.TEXT:
            value = Text(LONGEST_OPTION)
        case Kind.OBJECT:
            value = Anything()
    return Key(value, declared.help)
