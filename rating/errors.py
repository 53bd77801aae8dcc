"""Errors of experiments and votes that several modules raise or catch."""

from collections.abc import Sequence
from uuid import UUID

from core.errors import AppError
from core.i18n import gettext_noop as _
from rating.models import Experiment


class SoundNotFetched(AppError):
    """A browser answered a page whose sound it had not fetched; votes tells it which media are missing."""

    def __init__(self, media: Sequence[UUID]) -> None:
        super().__init__(
            "vote.sound_not_fetched",
            409,
            _("The sound of this page was never fetched. Fetch it, listen to it, and send the answer again."),
            media=media,
        )


class KeyReused(AppError):
    """An answer under the id of another one; a vote stored under that id is not replaced."""

    def __init__(self) -> None:
        super().__init__(
            "vote.key_reused",
            422,
            _("This answer's id was already used for another answer. Every answer needs an id of its own."),
        )


def wrong_state(experiment: Experiment, *, needed: str) -> AppError:
    return AppError(
        "experiment.wrong_state",
        409,
        _("The experiment is {state}; this needs it to be {needed}."),
        state=experiment.get_state_display(),
        needed=needed,
    )


def no_stimuli(*, collection: str) -> AppError:
    return AppError(
        "experiment.no_stimuli",
        409,
        _("The collection '{collection}' holds no stimuli to rate. Import some first."),
        collection=collection,
    )


def reason_missing() -> AppError:
    return AppError(
        "experiment.reason_missing", 422, _("Say why: the reason is kept in the audit log and shown with the data.")
    )


def unknown_trial() -> AppError:
    return AppError(
        "vote.unknown_trial", 404, _("This page is not part of your test. Reload it to continue where you are.")
    )
