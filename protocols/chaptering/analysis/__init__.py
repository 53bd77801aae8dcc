"""How well chapters of a recording were found and named: boundaries in time, titles, and words.

`evaluation` measures one answer against one reference, `summary` many; `comparison` holds systems or people against
each other; `answers` gathers what an experiment holds and `agreement` makes its tables; `reading` takes files.
protocols/chaptering/docs.md has the definitions.
"""

from __future__ import annotations

from collections.abc import Sequence

from analysis.method import AnsweredPage, HeardSlot, Json, PageMethod

# Every table there is; a list for each, however few the answers.
EMPTY: Json = {
    "rows": [],
    "differences": [],
    "pairs": [],
    "by_item": [],
    "answers": [],
    "warnings": [],
    "settings": {},
    "counts": {},
}


class ChapterAgreement(PageMethod):
    """People and systems against a reference and against people, and every two people against each other.

    A recording is the unit of every interval and test. Who is compared with people is measured against each of them
    and averaged, recording by recording; nobody is compared with themselves. What cannot be computed is null, not 0.
    """

    slug = "chaptering"
    version = "1.0"
    title = "Chapters"

    def run(self, pages: Sequence[AnsweredPage], material: Sequence[HeardSlot]) -> Json:
        # numpy loads here, in the worker; the web process only needs a method's name.
        from protocols.chaptering.analysis.agreement import gathered, tables

        counted = [page for page in pages if page.kind != "practice"]
        return EMPTY | tables(gathered(counted, material)) if counted else EMPTY
