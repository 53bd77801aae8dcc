"""Columns of the dataset's tables with their meanings, and the keys by which the tables refer to each other."""

from collections.abc import Iterable, Mapping
from typing import Any

BALLOT = "The seat's ballot: the same plan given to another person is another ballot."
SUBJECT = "The participant's pseudonym, as in the other files; empty where nobody took the seat."
PANEL = "The number of the panel."
SEAT = "The number of the seat in the panel."
ROW_TYPE = "main or simulated."
SINCE_START = "Seconds since the seat was taken."

PARTICIPANTS = {
    "ballot_id": BALLOT,
    "subject_id": "The participant's pseudonym; empty where nobody has answered.",
    "subject_column": "The listener's column in the matrices of legacy/udase.",
    "panel": PANEL,
    "seat": SEAT,
    "row_type": ROW_TYPE,
    "votes": "How many answers the server holds, earlier revisions and practice included.",
    "pages": "How many pages of the test were answered.",
    "of_pages": "How many pages the test has for this listener.",
    "complete": "Whether nothing is left to answer.",
    "text_version": "The version of the texts that was agreed to (table texts).",
    "excluded": "Whether results leave the listener out.",
    "exclusion_reason": "Why: the reason that a person gave, or the rule with its figure and threshold.",
    "checks_passed": "Trap and gold clips that were answered as expected.",
    "checks_failed": "Trap and gold clips that were not.",
    "repeat_pairs": "Pairs of ratings of what was heard twice.",
    "repeat_difference": "Their mean absolute difference.",
    "repeat_r": "Pearson's r between them, from three pairs on.",
    "repeat_ccc": "Lin's concordance between them, which a shift lowers as well.",
    "repeat_ccc_low": "The lower end of its 95 % interval.",
    "repeat_ccc_high": "The upper end of its 95 % interval.",
    "device_class": "desktop, tablet or phone; several where the listener changed, joined by |.",
    "browser": "The browser and its main version; several are joined by |.",
    "ears_passed": "Whether the last check of left and right was passed; empty where there was none.",
    "headphones_passed": "Whether the last headphone screening was passed; empty where there was none.",
    "level_db": "The level that the listener set last, in dB above or below the middle.",
    "response_ms": "The median time from the end of a clip to the answer, in milliseconds.",
    "pace_s": "The median time between two answers of a session, in seconds, by the browser's clock.",
    "stalled": "Answers to clips whose sound stalled for more than 250 ms.",
    "interrupted": "Answers to clips during which the page was hidden.",
    "qc_flags": "Flags of the monitor that do not depend on the time of day: fast, sooner, flat, level, muted, hidden, "
    "stalls, clips, checks, attention.",
}
SEATS = {
    "ballot_id": BALLOT,
    "panel": PANEL,
    "group": "The panel's group of people, where the protocol has groups.",
    "seat": SEAT,
    "occupancy": "1 for the first person on the seat; a seat that was released has a next one.",
    "row_type": ROW_TYPE,
    "subject_id": SUBJECT,
    "state": "open, taken, finished or abandoned. Answers on an abandoned (released) seat count in no result.",
    "taken_at": "When the seat was taken.",
    "released_at": "When it was released; empty where it was not.",
    "released_s": "The same as seconds since the seat was taken.",
    "finished_at": "When the ballot was closed.",
    "finished_s": "The same as seconds since the seat was taken.",
    "votes": "How many answers the server holds.",
    "text_version": "The version of the texts that was agreed to.",
    "consent_sha256": "A hash of the consent text that was agreed to.",
    "consent_language": "Its language.",
    "seed": "What the seat's plan was drawn from, together with the seed of the experiment.",
    "plan_sha256": "A hash of what the seat hears, in which order, and what is asked.",
}
TRIALS = {
    "trial_id": "The page; a page with several sounds or texts has a row for each.",
    "ballot_id": BALLOT,
    "position": "The page's place in the ballot, from 1.",
    "session": "The session of the plan; 0 is practice.",
    "kind": "practice or test; trap, gold or repeat for an attention check.",
    "ask": "The scales that the page asks for, joined by |.",
    "detail": "What the protocol planned besides, as JSON; empty until the experiment is unblinded.",
    "slot": "The place on the page.",
    "item": "The item's name.",
    "condition": "The condition: a letter until the experiment is unblinded, then its name.",
    "repetition": "How often the listener had heard the item in this condition by then, this time included.",
    "previous_condition": "The condition in which the same item was heard before; empty the first time.",
    "planned_s": "How long the page takes by the protocol's estimate, in seconds.",
    "postponed": "How often it was put off because a clip would not play.",
    "skipped": "Whether it was left out in the end.",
    "answered": "Whether its newest answer is a whole one.",
    "revision": "How many answers were given to it.",
}
ANSWERS = {
    "answer": "The answer's number in the order in which the server stored them.",
    "event_id": "The id that the browser gave the answer.",
    "ballot_id": BALLOT,
    "trial_id": "The page (table trials).",
    "subject_id": SUBJECT,
    "outcome": "accepted; conflict where another answer to the same page came first.",
    "revision": "Which answer to the page it is, from 1; empty for a conflict.",
    "current": "Whether it is the newest answer to its page; the others are earlier revisions.",
    "counts": "Whether it is on a seat that counts, and not on a released one.",
    "marks": "The marks that were read from it, as JSON: slot, scale, value.",
    "payload": "The answer as it arrived, as JSON.",
    "heard": "What the browser says was heard, as JSON.",
    "client": "The browser's clocks and version, as JSON.",
    "flags": "As in the responses.",
    "received_at": "When the server stored it.",
    "elapsed_s": SINCE_START,
    "protocol": "The protocol's slug.",
    "protocol_version": "Its version.",
    "label_set": "The wording that was shown.",
    "label_set_sha256": "A hash of the wording.",
    "seal": "An HMAC over the whole row, with a key of the server.",
    "chain": "The link that joins it to the answers before it on the ballot.",
}
VISITS = {
    "visit_id": "One sitting on one device.",
    "ballot_id": BALLOT,
    "subject_id": SUBJECT,
    "began_at": "When it began.",
    "last_seen_at": "When the last request came.",
    "device_class": "desktop, tablet or phone.",
    "browser": "The browser and its main version.",
}
CHECKS = {
    "visit_id": "The sitting (table visits).",
    "ballot_id": BALLOT,
    "subject_id": SUBJECT,
    "check": "ears (left and right), level or headphones; a repeated check is another row.",
    "passed": "Whether it was passed.",
    "level_db": "Of the level: what was set.",
    "outcome": "All that is known of it, as JSON.",
    "at": "When.",
    "elapsed_s": SINCE_START,
}
INTERRUPTIONS = {
    "visit_id": "The sitting (table visits).",
    "ballot_id": BALLOT,
    "subject_id": SUBJECT,
    "position": "The page, where the report is about one.",
    "what": "clip (it would not play), device (the sound device changed), hidden (the page was hidden while a clip "
    "played), stall (the sound stalled), error (a script failed) or pause.",
    "detail": "All that the browser said, as JSON.",
    "at": "When.",
    "elapsed_s": SINCE_START,
}
EXCLUSIONS = {
    "ballot_id": BALLOT,
    "kind": "listener, seat or trial.",
    "subject_id": SUBJECT,
    "panel": PANEL,
    "seat": SEAT,
    "position": "The page, where one trial is excluded.",
    "reason": "As a person typed it; empty where a rule was applied.",
    "rule": "The rule.",
    "scale": "The scale that the rule looked at.",
    "figure": "The figure that it found.",
    "threshold": "The threshold that it was applied with.",
    "made_at": "When.",
    "made_by": "By whom.",
    "after_unblinding": "Whether conditions were known by name then.",
    "lifted": "Whether it was lifted, so that the answers count again.",
    "lifted_at": "When it was lifted; empty where it stands.",
    "lifted_by": "By whom.",
    "lifted_reason": "Why.",
    "lifted_after_unblinding": "Whether conditions were known by name then.",
}
TEXTS = {
    "text_version": "The number of the version.",
    "published_at": "From when on listeners could read it.",
    "reason": "Why it was amended.",
    "changed": "What was amended.",
    "consents": "How many listeners agreed to it.",
    "design_sha256": "The hash of the experiment with these texts.",
    "consent_sha256": "A hash of the consent text.",
    "title": "The title.",
    "consent_text": "The consent text, in Markdown.",
    "instructions": "The instructions; empty where the protocol's own were shown.",
    "debrief": "What was shown on the receipt.",
    "contact": "Whom participants could write to.",
}
STIMULI = {
    "item": "The item's name.",
    "condition": "The condition: a letter until the experiment is unblinded, then its name.",
    "condition_role": "test, reference, anchor, full-length, trap or gold; empty until the experiment is unblinded.",
    "factors": "The item's factors, as a JSON object.",
    "condition_factors": "What the condition was made with, as a JSON object; empty until the experiment is unblinded.",
    "sha256": "A hash of the sound file, or of the text; empty until the experiment is unblinded, as are all below.",
    "format": "The format of the file.",
    "byte_count": "Its size.",
    "sample_rate_hz": "Its sampling rate.",
    "channels": "Its number of channels.",
    "duration_s": "How long it sounds.",
    "loudness_lufs": "Its integrated loudness (ITU-R BS.1770-4); empty where it was not measured.",
    "true_peak_dbtp": "Its true peak.",
    "gain_db": "The gain by which it was made from another recording.",
    "text": "Of a text instead of a sound: all of it, as JSON.",
    "left_out": "Why the item is left out of new designs; empty where it is not.",
}
LABELS = {
    "label_set": "The wording.",
    "language": "Its language.",
    "status": "draft or approved.",
    "scale": "The scale.",
    "question": "What was asked.",
    "attend": "What listeners were to attend to.",
    "word": "The word for the scale.",
    "value": "A point of the scale.",
    "label": "The label at this point.",
}
# In the anonymous edition: columns that could tell who a person is or when exactly they answered, and what was typed
# about them. The language of the consent tells listeners apart and is no part of the k-anonymity gate.
NOT_ANONYMOUS: Mapping[str, tuple[str, ...]] = {
    "participants": ("browser", "exclusion_reason"),
    "seats": ("taken_at", "released_at", "finished_at", "consent_language"),
    "answers": ("event_id", "payload", "heard", "client", "received_at", "seal", "chain"),
    "checks": ("visit_id", "outcome", "at"),
    "interruptions": ("visit_id", "detail", "at"),
    "responses": ("client_wall", "received_at", "exclusion_reason"),
    "exclusions": ("reason", "made_at", "made_by", "lifted_at", "lifted_by", "lifted_reason"),
    "texts": ("published_at", "reason", "contact"),
    "stimuli": ("left_out",),
    "questionnaire": ("handed_in_at",),
}
# Which columns of a table are a row of another one; the first column of the other table is its key.
REFERENCES: Mapping[str, Mapping[str, str]] = {
    "participants": {"ballot_id": "seats", "text_version": "texts"},
    "seats": {"text_version": "texts"},
    "trials": {"ballot_id": "seats"},
    "answers": {"ballot_id": "seats", "trial_id": "trials"},
    "responses": {"trial_id": "trials"},
    "visits": {"ballot_id": "seats"},
    "checks": {"ballot_id": "seats", "visit_id": "visits"},
    "interruptions": {"ballot_id": "seats", "visit_id": "visits"},
    "exclusions": {"ballot_id": "seats"},
}


def kept(table: str, columns: Mapping[str, Any], *, anonymous: bool) -> dict[str, Any]:
    """The columns of a table in this edition."""
    left_out = NOT_ANONYMOUS.get(table, ()) if anonymous else ()
    return {name: meaning for name, meaning in columns.items() if name not in left_out}


def measured(columns: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Columns as Psych-DS and schema.org have them: a list of objects with a name and a description."""
    return [{"@type": "PropertyValue", "name": name, **_described(meaning)} for name, meaning in columns.items()]


def _described(meaning: Any) -> dict[str, Any]:
    return {"description": meaning} if isinstance(meaning, str) else {"description": meaning.get("text", ""), **meaning}


def sidecar(columns: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """The JSON file beside a table."""
    return {"@context": "https://schema.org/", "variableMeasured": measured(columns), **more}


def factor_columns(factors: Iterable[str], *, prefix: str = "factor_") -> dict[str, str]:
    """A column for each factor: its name in the table by the name of the factor."""
    found: dict[str, str] = {}
    for name in sorted(factors):
        column = base = prefix + "".join(letter if letter.isalnum() else "_" for letter in name)
        number = 2
        while column in found.values():
            column, number = f"{base}_{number}", number + 1
        found[name] = column
    return found
