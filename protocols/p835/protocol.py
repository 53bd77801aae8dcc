"""Speech with noise suppressed, ITU-T P.835: the same clip three times, rated for speech, background, and overall."""

from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import ClassVar

from core.clauses import clause
from core.errors import sentence
from rating.protocol import (
    PLAYS_ALLOWED,
    REFERENCE,
    Entry,
    Json,
    LabelSet,
    LabelStatus,
    OptionUnfit,
    Scale,
    ScaleLabels,
    ScaleProtocol,
    Slot,
    TrialKind,
    TrialPlan,
    without_repeated_items,
)

SPEECH_FIRST = ("SIG", "BAK", "OVRL")
BACKGROUND_FIRST = ("BAK", "SIG", "OVRL")


class SpeechBackgroundOverall(ScaleProtocol):
    """One page is one presentation on one scale. OVRL comes last; SIG and BAK take turns in coming first."""

    slug = "p835"
    version = "1.0"
    title = "Speech, background, overall (P.835)"
    scales = (Scale("SIG", low=1, high=5), Scale("BAK", low=1, high=5), Scale("OVRL", low=1, high=5))
    scale_orders = (SPEECH_FIRST, BACKGROUND_FIRST)
    defaults: ClassVar[Mapping[str, Json]] = {
        "plays_allowed": 1,
        "sessions": 4,
        "layout": "vertical",  # or "horizontal"
        "auto_confirm": False,  # whether a digit goes on at once
    }
    option_choices: ClassVar[Mapping[str, tuple[str, ...]]] = {"layout": ("vertical", "horizontal")}
    option_texts: ClassVar[Mapping[str, str]] = {
        "plays_allowed": PLAYS_ALLOWED,
        "sessions": sentence("In how many sessions of equal length a seat's clips are heard, after practice."),
        "layout": sentence("How the five answers stand: vertical, best on top, or horizontal, in one row."),
        "auto_confirm": sentence("A digit on the keyboard goes on at once, without Enter."),
    }
    page_options = ("layout", "auto_confirm")

    def check_options(self, options: Mapping[str, Json], material: Mapping[str, Mapping[str, str]]) -> None:
        if options.get("sessions") == 0:
            raise OptionUnfit(option="sessions", problem=clause("there must be at least one session."))

    def plan(self, entries: Sequence[Entry], options: Mapping[str, Json], rng: Random) -> Iterable[TrialPlan]:
        """Plan a seat by itself: references first, then everything shuffled, in sessions of equal length.

        Panels are balanced by a design (listening.design) instead, which calls `show` for each stimulus.
        """
        orders = rng.sample(self.scale_orders, len(self.scale_orders))
        references = [entry for entry in entries if entry.role == REFERENCE]
        rated = [entry for entry in entries if entry.role != REFERENCE]
        sessions = int(options.get("sessions", self.defaults["sessions"]))
        for position, entry in enumerate(rng.sample(references, len(references))):
            scales = orders[2 * position // len(references)]
            yield from self.show(entry, session=0, kind=TrialKind.PRACTICE, scales=scales)
        for position, entry in enumerate(without_repeated_items(rng.sample(rated, len(rated)))):
            session = 1 + position * sessions // len(rated)
            scales = orders[2 * (session - 1) // sessions]
            yield from self.show(entry, session=session, kind=TrialKind.TEST, scales=scales)

    def show(self, entry: Entry, *, session: int, kind: TrialKind, scales: Sequence[str] = ()) -> tuple[TrialPlan, ...]:
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

    def present(self, trial: TrialPlan) -> Json:
        return super().present(trial) | {"part": trial.detail["part"], "order": trial.detail["order"]}

    label_sets = (
        LabelSet(
            id="p835-en-1",
            language="en",
            version=1,
            status=LabelStatus.PUBLISHED,
            source="ITU-T P.835 as two public implementations print it; not yet compared with the Recommendation",
            scales={
                "SIG": ScaleLabels(
                    word="SPEECH",
                    attend="Attend ONLY to the SPEECH SIGNAL.",
                    question="The SPEECH SIGNAL in this sample was",
                    anchors=(
                        (5, "Not distorted"),
                        (4, "Slightly distorted"),
                        (3, "Somewhat distorted"),
                        (2, "Fairly distorted"),
                        (1, "Very distorted"),
                    ),
                ),
                "BAK": ScaleLabels(
                    word="BACKGROUND",
                    attend="Attend ONLY to the BACKGROUND.",
                    question="The BACKGROUND in this sample was",
                    anchors=(
                        (5, "Not noticeable"),
                        (4, "Slightly noticeable"),
                        (3, "Noticeable but not intrusive"),
                        (2, "Somewhat intrusive"),
                        (1, "Very intrusive"),
                    ),
                ),
                "OVRL": ScaleLabels(
                    word="OVERALL",
                    attend="Attend to the WHOLE sample, as in everyday speech communication.",
                    question="The OVERALL SPEECH SAMPLE was",
                    anchors=((5, "Excellent"), (4, "Good"), (3, "Fair"), (2, "Poor"), (1, "Bad")),
                ),
            },
        ),
        LabelSet(
            id="p835-fr-1",
            language="fr",
            version=1,
            status=LabelStatus.DRAFT,
            source="Earmark's own draft; not reviewed",
            scales={
                "SIG": ScaleLabels(
                    word="PAROLE",
                    attend="Écoutez UNIQUEMENT la PAROLE.",
                    question="La PAROLE dans cet extrait présentait",
                    anchors=(
                        (5, "Aucune distorsion"),
                        (4, "Une distorsion légère"),
                        (3, "Une distorsion modérée"),
                        (2, "Une distorsion assez forte"),
                        (1, "Une distorsion très forte"),
                    ),
                ),
                "BAK": ScaleLabels(
                    word="FOND SONORE",
                    attend="Écoutez UNIQUEMENT le FOND SONORE.",
                    question="Le FOND SONORE dans cet extrait était",
                    anchors=(
                        (5, "Imperceptible"),
                        (4, "Légèrement perceptible"),
                        (3, "Perceptible mais pas gênant"),
                        (2, "Assez gênant"),
                        (1, "Très gênant"),
                    ),
                ),
                "OVRL": ScaleLabels(
                    word="ENSEMBLE",
                    attend="Écoutez l'extrait dans son ENSEMBLE, comme dans une conversation ordinaire.",
                    question="La qualité d'ENSEMBLE de cet extrait était",
                    anchors=((5, "Excellente"), (4, "Bonne"), (3, "Passable"), (2, "Médiocre"), (1, "Mauvaise")),
                ),
            },
        ),
    )
