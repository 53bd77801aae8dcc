"""Session settings of an experiment: read with their defaults, changed, and logged."""

from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from django.db import transaction
from django.utils.translation import gettext_noop as _

from core.errors import AppError
from core.models import User
from core.services import audit
from listening.models import Completion, SessionSettings
from rating.errors import wrong_state
from rating.models import Experiment
from rating.protocol import Needs
from rating.registry import get_protocol

# Checks and rests stay as they are while people listen; the other settings affect no answer.
FIXED_WHILE_LIVE = ("ear_check", "level_check", "headphone_screen", "rest_s")
RETURN_URLS = ("completion_url", "full_url", "screen_out_url")
RETURN_CODES = ("completion_code", "full_code", "screen_out_code")
CHANGEABLE = (*FIXED_WHILE_LIVE, "stated_minutes", "lease_hours", *RETURN_URLS, *RETURN_CODES)
LONGEST_URL = 200


def session_settings_of(experiment: Experiment) -> SessionSettings:
    """The experiment's session settings, or the defaults where none are stored."""
    known = SessionSettings.objects.filter(experiment=experiment).first()
    return known or SessionSettings(
        experiment=experiment, lease_hours=get_protocol(experiment.protocol).access.absence_hours
    )


def needs_of(experiment: Experiment, known: SessionSettings) -> Needs:
    """What a participant needs: what the protocol declares, and headphones where the settings have them checked."""
    needs = get_protocol(experiment.protocol).needs
    checked = known.ear_check or known.headphone_screen != SessionSettings.HeadphoneScreen.OFF
    return replace(needs, headphones=needs.headphones or checked)


def checks_are_open(experiment: Experiment) -> bool:
    return experiment.state in (Experiment.State.DRAFT, Experiment.State.PAUSED)


@transaction.atomic
def change_session_settings(*, experiment: Experiment, actor: User, **wanted: Any) -> SessionSettings:
    """Change what is named in `wanted`; the log keeps what it was before."""
    experiment = Experiment.objects.select_for_update().get(pk=experiment.pk)
    session_settings = session_settings_of(experiment)
    before = {name: getattr(session_settings, name) for name in CHANGEABLE}
    after = {name: value for name, value in wanted.items() if before[name] != value}
    if set(after) & set(FIXED_WHILE_LIVE) and not checks_are_open(experiment):
        raise wrong_state(experiment, needed="draft or paused")
    for url in filter(None, (after.get(name) for name in RETURN_URLS)):
        check_return_url(url)
    if after:
        usual = {"lease_hours": session_settings.lease_hours}
        SessionSettings.objects.update_or_create(experiment=experiment, defaults=after, create_defaults=usual | after)
        audit.record(
            actor=actor,
            action="session_settings.changed",
            target=f"experiment/{experiment.slug}",
            before={name: before[name] for name in after},
            after=after,
        )
    return session_settings_of(experiment)


def way_back_of_receipt(completion: Completion, *, counts: bool) -> dict[str, str]:
    """Code and redirect address of a receipt: the code that is the same for all, where one is set, else its own.

    What does not count, as a rehearsal, has its own code and leads nowhere: a code for all is worth money elsewhere.
    """
    if not counts:
        return {"code": completion.code, "url": ""}
    known = session_settings_of(completion.seat.ballot.experiment)
    code = known.completion_code or completion.code
    return {"code": code, "url": known.completion_url.replace("{code}", code)}


def way_back(experiment: Experiment, *, full: bool) -> dict[str, str]:
    """Code and address for a person who cannot take part: because all places are taken, or for another reason."""
    known = session_settings_of(experiment)
    code, url = (known.full_code, known.full_url) if full else (known.screen_out_code, known.screen_out_url)
    return {"code": code, "url": url.replace("{code}", code)}


def check_return_url(url: str) -> None:
    """Only https, so that a code is never sent in the clear, and nothing that a browser would run."""
    try:
        parts = urlsplit(url.replace("{code}", "CODE"))
        fit = parts.scheme == "https" and bool(parts.hostname) and "@" not in parts.netloc
    except ValueError:
        fit = False
    if not fit or len(url) > LONGEST_URL or any(letter.isspace() or letter in "{}<>\"'" for letter in _without(url)):
        raise AppError(
            "session_settings.completion_url",
            422,
            _(
                "The redirect URL must begin with https:// and have at most {most} characters. Write {{code}} where "
                "the code belongs."
            ),
            most=LONGEST_URL,
        )


def _without(url: str) -> str:
    return url.replace("{code}", "")
