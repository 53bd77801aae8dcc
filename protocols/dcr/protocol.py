"""Degradation category rating, ITU-T P.800 Annex D: hear the reference, then a clip, say how degraded the clip was."""

from collections.abc import Mapping
from typing import ClassVar

from core.i18n import LazyMessage, ngettext_noop
from core.i18n import gettext_noop as _
from rating.protocol import (
    PLAYS_ALLOWED,
    PLAYS_ALLOWED_HELP,
    PRACTICE,
    PRACTICE_HELP,
    PRACTICE_TRIALS,
    Json,
    LabelSet,
    LabelStatus,
    Option,
    OptionUnfit,
    PageHolds,
    Scale,
    ScaleLabels,
    ScaleProtocol,
)

LONGEST_GAP_S = 10


class DegradationCategoryRating(ScaleProtocol):
    """One page is one pair: the reference of an item, a silence, then the item under one condition, which is rated."""

    slug = "dcr"
    version = "1.0"
    title = "Degradation category rating (P.800)"
    summary = _("Listeners hear the reference, then the clip, and rate how annoying the difference is.")
    scales = (Scale("DEG", low=1, high=5),)
    page_holds = PageHolds.PAIR
    shows_reference = True
    counted = ngettext_noop("%(n)s pair", "%(n)s pairs")
    answered_of = ngettext_noop(
        "You have answered %(answered)s of %(n)s pair.", "You have answered %(answered)s of %(n)s pairs."
    )
    options: ClassVar[Mapping[str, Option]] = {
        "plays_allowed": Option(1, PLAYS_ALLOWED, PLAYS_ALLOWED_HELP),
        "practice": Option(PRACTICE_TRIALS, PRACTICE, PRACTICE_HELP),
        "gap_s": Option(
            0.5,
            _("Silence before the clip, in seconds"),
            _("The silence between the reference and the clip, in seconds."),
            in_page=True,
        ),
        "rounds": Option(
            1,
            _("Times the pair is heard"),
            _("How often the pair is heard before it is rated: 1 for A-B, 2 for A-B-A-B."),
            in_page=True,
        ),
        "round_gap_s": Option(
            1.0,
            _("Silence between two pairs, in seconds"),
            _("The silence between two pairs, in seconds, where the pair is heard twice."),
            in_page=True,
        ),
    }
    label_sets = (
        LabelSet(
            id="dcr-en-1",
            language="en",
            version=1,
            status=LabelStatus.OFFICIAL,
            source="ITU-T P.800 Annex D, degradation scale",
            scales={
                "DEG": ScaleLabels(
                    question="How degraded was the clip, compared with the reference?",
                    anchors=(
                        (5, "Degradation is inaudible"),
                        (4, "Degradation is audible but not annoying"),
                        (3, "Degradation is slightly annoying"),
                        (2, "Degradation is annoying"),
                        (1, "Degradation is very annoying"),
                    ),
                )
            },
        ),
    )

    def check_options(self, options: Mapping[str, Json], material: Mapping[str, Mapping[str, str]]) -> None:
        if options.get("rounds", 1) not in (1, 2):
            raise OptionUnfit(option="rounds", problem=LazyMessage("the pair is heard once or twice: 1 or 2."))
        for name in ("gap_s", "round_gap_s"):
            if options.get(name, 0) > LONGEST_GAP_S:
                raise OptionUnfit(
                    option=name, problem=LazyMessage("a silence lasts at most {most} seconds.", most=LONGEST_GAP_S)
                )
