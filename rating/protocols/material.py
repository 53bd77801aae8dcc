"""What a protocol makes of the material of one item: its sound, its texts, or a sentence that says what is missing."""

from collections.abc import Sequence

from rating.protocols.base import FULL_LENGTH, REFERENCE, Entry, MaterialUnfit


def by_item(entries: Sequence[Entry]) -> dict[str, list[Entry]]:
    """Entries under the name of their item, items and entries in the order in which they came."""
    items: dict[str, list[Entry]] = {}
    for entry in entries:
        items.setdefault(entry.item, []).append(entry)
    return items


def sounds(entries: Sequence[Entry]) -> list[Entry]:
    return [entry for entry in entries if entry.text is None]


def texts(entries: Sequence[Entry]) -> list[Entry]:
    return [entry for entry in entries if entry.text is not None]


def the_sound(entries: Sequence[Entry]) -> Entry:
    """The sound that an item's texts are about: its only one, else its full-length one, else its reference."""
    found = sounds(entries)
    for role in ("", FULL_LENGTH, REFERENCE):
        chosen = [entry for entry in found if not role or entry.role == role]
        if len(chosen) == 1:
            return chosen[0]
    raise MaterialUnfit(
        problem=(
            f"{entries[0].item} has {len(found)} sounds. It must have one, or one in the role {FULL_LENGTH} or "
            f"{REFERENCE}."
        )
    )
