"""Speech with noise suppressed, ITU-T P.835: the same clip three times, rated for speech, background, and overall."""

from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import ClassVar

from core.i18n import LazyMessage
from core.i18n import gettext_noop as _
from protocols.p835.labels import LABEL_SETS
from rating.protocol import (
    FIXATION_CROSS,
    FIXATION_CROSS_HELP,
    PLAYS_ALLOWED,
    PLAYS_ALLOWED_HELP,
    PRACTICE,
    PRACTICE_SESSION,
    PRACTICE_TRIALS,
    REFERENCE,
    Entry,
    Json,
    Option,
    OptionUnfit,
    Scale,
    ScaleProtocol,
    Slot,
    TrialColumn,
    TrialKind,
    TrialPlan,
    draw_practice,
    without_repeated_items,
)
from rating.variance import OVERALL_QUALITY, VarianceComponents

SPEECH_FIRST = ("SIG", "BAK", "OVRL")
BACKGROUND_FIRST = ("BAK", "SIG", "OVRL")
# Fitted like those of OVERALL_QUALITY to the same votes.
SPEECH = VarianceComponents(0.227, 0.227, 0.138, 0.100, 0.394)
BACKGROUND = VarianceComponents(0.129, 0.091, 0.054, 0.092, 0.352)
# OVRL by SIG and BAK, as in the means of these votes by sample.
INTERCEPT, WEIGHTS = -0.70, {"SIG": 0.61, "BAK": 0.54}
OVERALL_ALONE = OVERALL_QUALITY.without({SPEECH: WEIGHTS["SIG"], BACKGROUND: WEIGHTS["BAK"]})


class SpeechBackgroundOverall(ScaleProtocol):
    """One page is one presentation on one scale. OVRL comes last; SIG and BAK take turns in coming first."""

    slug = "p835"
    version = "1.0"
    title = "Speech, background, overall (P.835)"
    summary = _("Listeners hear each clip three times and rate the speech, the background and the whole.")
    scales = (
        Scale("SIG", low=1, high=5, published=SPEECH),
        Scale("BAK", low=1, high=5, published=BACKGROUND),
        Scale("OVRL", low=1, high=5, published=OVERALL_QUALITY),
    )
    scale_orders = (SPEECH_FIRST, BACKGROUND_FIRST)
    label_sets = LABEL_SETS
    pages_each = len(SPEECH_FIRST)
    options: ClassVar[Mapping[str, Option]] = {
        "plays_allowed": Option(1, PLAYS_ALLOWED, PLAYS_ALLOWED_HELP),
        "practice": Option(
            PRACTICE_TRIALS,
            PRACTICE,
            _(
                "How many practice clips come first. They are taken from the collection and not counted; where it has "
                "references, all of these are heard instead. 0 means none."
            ),
        ),
        "fixation_cross": Option(False, FIXATION_CROSS, FIXATION_CROSS_HELP, in_page=True),
        "sessions": Option(
            4,
            _("Sessions"),
            _("In how many sessions of equal length a seat's clips are heard, after practice."),
            by_design=True,
        ),
        "layout": Option(
            "vertical",
            _("Arrangement of the answers"),
            _("How the five answers stand."),
            choices={"vertical": _("Vertical, best on top"), "horizontal": _("Horizontal, in one row")},
            in_page=True,
        ),
        "auto_confirm": Option(
            False,
            _("Continue at once after a digit key"),
            _("A digit on the keyboard goes on at once, without Enter."),
            in_page=True,
        ),
    }
    trial_columns = (
        TrialColumn("part", "Which of the three pages of one clip, from 1."),
        TrialColumn("order", "In which order the scales of the clip were asked."),
    )

    def check_options(self, options: Mapping[str, Json], material: Mapping[str, Mapping[str, str]]) -> None:
        if options.get("sessions") == 0:
            raise OptionUnfit(option="sessions", problem=LazyMessage("there must be at least one session."))

    def plan(self, entries: Sequence[Entry], options: Mapping[str, Json], rng: Random) -> Iterable[TrialPlan]:
        """Plan a seat by itself: practice first, then everything shuffled, in sessions of equal length.

        Panels are balanced by a design (listening.design) instead, which calls `trials_for` for each page.
        """
        orders = rng.sample(self.scale_orders, len(self.scale_orders))
        references = [entry for entry in entries if entry.role == REFERENCE]
        rated = [entry for entry in entries if entry.role != REFERENCE]
        sessions = int(options.get("sessions", self.defaults["sessions"]))
        practised = rng.sample(references, len(references))
        shuffled = without_repeated_items(rng.sample(rated, len(rated)), item_of=lambda entry: entry.item)
        wanted = self.practice_wanted(options)
        if not (wanted and practised):
            cells = {(entry.item, entry.condition): entry for entry in rated}
            practised = [cells[cell] for cell in draw_practice(cells, count=wanted, rng=rng)]
        for position, entry in enumerate(practised):
            scales = orders[2 * position // len(practised)]
            yield from self.trials_for([entry], session=PRACTICE_SESSION, kind=TrialKind.PRACTICE, scales=scales)
        for position, entry in enumerate(shuffled):
            session = 1 + position * sessions // len(rated)
            scales = orders[2 * (session - 1) // sessions]
            yield from self.trials_for([entry], session=session, kind=TrialKind.TEST, scales=scales)

    def trials_for(
        self, page: Sequence[Entry], *, session: int, kind: TrialKind, scales: Sequence[str] = ()
    ) -> tuple[TrialPlan, ...]:
        (entry,) = page
        order = tuple(scales) or SPEECH_FIRST
        return tuple(
            TrialPlan(
                slots=(Slot("a", entry),),
                ask=(scale,),
                kind=kind,
                session=session,
                detail={"part": part, "order": list(order)},
            )
            for part, scale in enumerate(order, start=1)
        )

    def perceived(self, entry: Entry, scale: Scale, listener: str) -> float:
        """The whole follows from speech and background as the same listener hears them, and from effects of its own."""
        if scale.key != "OVRL":
            return super().perceived(entry, scale, listener)
        parts = (weight * self.perceived(entry, self.scale(key), listener) for key, weight in WEIGHTS.items())
        return INTERCEPT + sum(parts) + entry.judged(scale, listener).effects(OVERALL_ALONE)

    def present(self, trial: TrialPlan) -> Json:
        return super().present(trial) | {"part": trial.detail["part"], "order": trial.detail["order"]}
