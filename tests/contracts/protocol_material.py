"""Entries of the contract suite of protocols: items with sounds of every role and texts of every kind."""

from rating.protocol import Entry, Json

WORDS = ["One", "two", "three", "four", "five"]
SOUNDS = (("w", "full-length"), ("x", "reference"), ("y", "test"), ("z", "test"))
TEXTS: dict[str, tuple[str, Json]] = {
    "k": ("reference", {"kind": "tokens", "text": " ".join(WORDS), "tokens": WORDS}),
    "l": ("test", {"kind": "tokens", "text": "One five", "tokens": ["One", "five"]}),
    "m": ("test", {"kind": "caption", "text": "A car passes.", "tokens": None}),
    "n": ("test", {"kind": "caption", "text": "Birds sing.", "tokens": None}),
    "o": ("test", {"kind": "transcript", "text": "One two.", "tokens": None}),
}
ENTRIES = [
    Entry(
        stimulus=f"stimulus-{item}{condition}",
        item=f"item-{item}",
        condition=f"condition-{condition}",
        role=role,
        text=text,
        duration_s=0 if text else 60,
    )
    for item in "pqrs"
    for condition, role, text in (
        *((name, role, None) for name, role in SOUNDS),
        *((name, *parts) for name, parts in TEXTS.items()),
    )
]
