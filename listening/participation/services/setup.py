"""Sound checks before the first clip of a visit: left and right, level, headphones."""

from collections.abc import Iterable
from datetime import datetime
from statistics import median
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.urls import reverse
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_noop as _

from core.errors import AppError
from listening.models import Seat, SessionSettings, SetupStep, Visit
from listening.panels.services.seats import turn_away
from listening.panels.services.session_settings import session_settings_of
from listening.participation.screening import ANTIPHASE, EARS, HUGGINS, LEVEL_S, SCREENINGS, Screening, level_noise
from rating.models import Slot
from rating.protocol import TrialKind
from rating.registry import get_protocol
from stimuli.models import Stimulus

LOWEST_DB, HIGHEST_DB, STEP_DB = -6.0, 6.0, 0.1  # above +6.02 dB the gain would pass 1
GAIN_AT_0_DB = 0.5
LEVEL_CLIPS = 4
LONGEST_LEVEL_CLIP_S = 30.0
ATTEMPTS = 2  # a third time tells nothing new
LEVEL = SetupStep.Step.LEVEL.value
USUAL_LUFS = -26.0  # of clips that were never measured


def gain_of(level_db: float) -> float:
    return float(GAIN_AT_0_DB * 10 ** (level_db / 20))


def pending_steps(*, visit: Visit, again: str = "") -> list[dict[str, Any]]:
    """Describe the checks that this visit still needs, and one that was asked for again, as the browser needs them."""
    session_settings = session_settings_of(visit.seat.ballot.experiment)
    rows = list(visit.setup_steps.all())
    wanted = _wanted(session_settings) if _heard(visit).exists() else []
    due = [_described(step, visit, rows) for step in wanted if step == again or not _done(step, rows)]
    # Without a short clip there is nothing to set a level by; for a long recording the listener sets it while browsing.
    return [step for step in due if step["step"] != SetupStep.Step.LEVEL or step["clips"]]


def level_db(*, visit: Visit) -> float | None:
    """The level that this visit was locked at last."""
    last = visit.setup_steps.filter(step=SetupStep.Step.LEVEL).last()
    return float(last.outcome["level_db"]) if last else None


def _setup_invalid(*, problem: str) -> AppError:
    return AppError("setup.invalid", 422, _("This is no outcome of the check: {problem}"), problem=problem)


def record_level(*, visit: Visit, level_db: float, device: dict[str, Any]) -> SetupStep:
    """Store the level, with the gain that it means."""
    if not LOWEST_DB <= level_db <= HIGHEST_DB:
        raise _setup_invalid(problem=f"the level lies between {LOWEST_DB:g} and +{HIGHEST_DB:g} dB.")
    level = round(level_db, 1)
    outcome = {**device, "level_db": level, "gain": round(gain_of(level), 6)}
    return SetupStep.objects.create(visit=visit, step=SetupStep.Step.LEVEL, outcome=outcome, passed=True)


@transaction.atomic
def record_screening(*, visit: Visit, slug: str, answers: Iterable[str], now: datetime) -> SetupStep:
    """Judge one attempt. The solution is not sent, so that it can be tried again.

    Where the settings say so, a second failure of the headphone screen ends the visit before its first answer.
    """
    step, attempt = _attempt(visit, slug)
    screening, given = SCREENINGS[slug], tuple(answers)
    if len(given) != screening.rounds or not set(given) <= set(screening.choices):
        raise _setup_invalid(
            problem=f"{slug} takes {screening.rounds} answers, each one of {', '.join(screening.choices)}."
        )
    passed = screening.passed(_seed(visit, slug, attempt), given)
    outcome: dict[str, Any] = {"screening": slug, "attempt": attempt, "answers": list(given)}
    if step == SetupStep.Step.HEADPHONES and not passed and attempt == ATTEMPTS and _turns_away(visit):
        outcome["turned_away"] = turn_away(seat=visit.seat, now=now, reason="The headphone screen was failed twice.")
    return SetupStep.objects.create(visit=visit, step=step, outcome=outcome, passed=passed)


def screening_sound(*, visit: Visit, slug: str, attempt: int, number: int) -> bytes:
    screening = SCREENINGS.get(slug)
    if slug == LEVEL and attempt == 1 and number == 1 and not practice_clips(visit):
        return level_noise(_usual_lufs(visit))
    if screening is None or not 1 <= number <= screening.rounds or not 1 <= attempt <= ATTEMPTS + 1:
        raise AppError(
            "setup.sound_unknown",
            404,
            _("There is no such sound among the checks. Reload the page to do the check again."),
        )
    return screening.sound(_seed(visit, slug, attempt), number)


def _turns_away(visit: Visit) -> bool:
    chosen = session_settings_of(visit.seat.ballot.experiment).headphone_screen
    return chosen == SessionSettings.HeadphoneScreen.TURN_AWAY


def is_turned_away(seat: Seat) -> bool:
    """Whether the headphone screen has ended this seat's only visit."""
    return SetupStep.objects.filter(visit__seat=seat, outcome__turned_away=True).exists()


def _wanted(session_settings: SessionSettings) -> list[str]:
    wanted = {
        SetupStep.Step.EARS: session_settings.ear_check,
        SetupStep.Step.LEVEL: session_settings.level_check,
        SetupStep.Step.HEADPHONES: session_settings.headphone_screen != SessionSettings.HeadphoneScreen.OFF,
    }
    return [step.value for step, is_wanted in wanted.items() if is_wanted]


def _done(step: str, rows: Iterable[SetupStep]) -> bool:
    """Passed, or tried as often as makes sense."""
    own = [row for row in rows if row.step == step]
    return any(row.passed for row in own) or len(own) >= ATTEMPTS


def _described(step: str, visit: Visit, rows: list[SetupStep]) -> dict[str, Any]:
    if step == SetupStep.Step.LEVEL:
        return {"step": step, "clips": _level_clips(visit), "level_db": level_db(visit=visit) or 0.0}
    attempts = [row for row in rows if row.step == step]
    screening = _screening(step, len(attempts))
    attempt = len(attempts) + 1
    sounds = [
        reverse("api:setup_sound", args=[visit.pk, screening.slug, attempt, number])
        for number in range(1, screening.rounds + 1)
    ]
    return {
        "step": step,
        "screening": screening.slug,
        "choices": screening.choices,
        "sounds": sounds,
        "duration_s": screening.duration_s,
        "again": bool(attempts),
    }


def _screening(step: str, attempts: int) -> Screening:
    """Headphones get a second chance by another method, ears by the same."""
    if step == SetupStep.Step.EARS:
        return EARS
    return ANTIPHASE if attempts else HUGGINS


def _attempt(visit: Visit, slug: str) -> tuple[str, int]:
    step = SetupStep.Step.EARS if slug == EARS.slug else SetupStep.Step.HEADPHONES
    attempts = visit.setup_steps.filter(step=step).count()
    if slug not in SCREENINGS or _screening(step, attempts).slug != slug:
        raise _setup_invalid(problem=f"{slug[:20]!r} is not the check that is due.")
    return step.value, attempts + 1


def _seed(visit: Visit, slug: str, attempt: int) -> str:
    """Right answers follow from a key that never leaves the server."""
    return salted_hmac("listening.participation.screening", f"{visit.pk}/{slug}/{attempt}").hexdigest()


def _heard(visit: Visit) -> QuerySet[Slot]:
    """What this visit has to hear, and can reach now."""
    slots = Slot.objects.filter(trial__ballot=visit.seat.ballot_id, stimulus__recording__isnull=False)
    if get_protocol(visit.seat.ballot.experiment.protocol).access.one_at_a_time:
        slots = slots.filter(trial=visit.seat.ballot.trials.unanswered().first())
    return slots.select_related("stimulus__recording")


def practice_clips(visit: Visit) -> list[Stimulus]:
    """A few clips to set the level by, of practice pages, as different as there are; none that is tested later."""
    own = Slot.objects.filter(trial__ballot=visit.seat.ballot_id)
    practised = _short(
        own.filter(trial__kind=TrialKind.PRACTICE)
        .exclude(stimulus__in=own.filter(trial__kind=TrialKind.TEST).values("stimulus"))
        .order_by("trial__position", "key")
    )
    chosen: list[Stimulus] = []
    for distinct in (("condition_id", "item_id"), ("item_id",), ("pk",)):
        for one in practised:
            news = all(getattr(one, name) not in [getattr(taken, name) for taken in chosen] for name in distinct)
            if len(chosen) < LEVEL_CLIPS and news:
                chosen.append(one)
    return chosen


def _level_clips(visit: Visit) -> list[dict[str, Any]]:
    """What the level is set by, under addresses that no page has: practice clips, or else noise."""
    if not _short(_heard(visit)):
        return []
    durations_s = [clip.duration_s for clip in practice_clips(visit)] or [LEVEL_S]
    return [
        {"url": reverse("api:setup_sound", args=[visit.pk, LEVEL, 1, number]), "duration_s": round(duration_s, 3)}
        for number, duration_s in enumerate(durations_s, start=1)
    ]


def _short(slots: QuerySet[Slot]) -> list[Stimulus]:
    """Those that are served whole and can be repeated while the level is set."""
    served = slots.exclude(stimulus__served="").select_related("stimulus__recording")
    return [slot.stimulus for slot in served if slot.stimulus.duration_s <= LONGEST_LEVEL_CLIP_S]


def _usual_lufs(visit: Visit) -> float:
    """The middle of what this seat's clips have, as far as they were measured."""
    levels = [
        one.recording.measures.get("integrated_lufs") for one in _short(_heard(visit)) if one.recording is not None
    ]
    return float(median([level for level in levels if level is not None] or [USUAL_LUFS]))
