"""Texts of an experiment: the standard consent text, versions that were read, and amendments after it went live."""

from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Any

from django.utils.translation import gettext, override

from rating.models import Ballot, Experiment, TextVersion

TEXTS = ("title", "consent_text", "instructions", "debrief", "contact")


def standard_consent(language: str) -> str:
    """What participants agree to where the experimenter has written nothing else, in Markdown."""
    with override(language):
        about = gettext("You listen to sounds on this device and answer questions about them.")
        rights = gettext(
            "Your answers are kept under a number, without your name, and are used for research. Taking part is "
            "voluntary: you can stop at any time and need not say why."
        )
    return f"{about}\n\n{rights}"


@dataclass(frozen=True)
class Amendment:
    """A published version that replaced another, and how many listeners had agreed to earlier ones."""

    version: TextVersion
    changed: tuple[str, ...]
    consents_before: int


def current_texts(*, experiment: Experiment) -> TextVersion:
    """The version that holds the experiment's present texts; made where there is none. The experiment is locked."""
    texts = {name: getattr(experiment, name) for name in TEXTS}
    last = experiment.text_versions.last()
    if last is not None and all(getattr(last, name) == text for name, text in texts.items()):
        return last
    number = last.number + 1 if last else 1
    return TextVersion.objects.create(experiment=experiment, number=number, **texts)


def publish_texts(*, experiment: Experiment, now: datetime, reason: str = "") -> TextVersion:
    """Note that listeners read the present texts from now on, unless they do already."""
    version = current_texts(experiment=experiment)
    if version.published_at is None:
        version.published_at, version.reason, version.design_sha256 = now, reason, experiment.design_sha256
        version.save(update_fields=["published_at", "reason", "design_sha256"])
    return version


def texts_of(ballot: Ballot) -> TextVersion:
    """The texts that were agreed to at this seat."""
    return TextVersion.objects.get(consents__ballot=ballot)


def published_texts(experiment: Experiment) -> list[TextVersion]:
    return list(experiment.text_versions.filter(published_at__isnull=False))


def amendments(experiment: Experiment) -> list[Amendment]:
    """Every published version after the first, in their order."""
    versions = published_texts(experiment)
    counts = consent_counts(experiment)
    return [
        Amendment(
            version=after,
            changed=tuple(name for name in TEXTS if getattr(before, name) != getattr(after, name)),
            consents_before=sum(counts.get(version.pk, 0) for version in versions[:number]),
        )
        for number, (before, after) in enumerate(pairwise(versions), start=1)
    ]


def consent_counts(experiment: Experiment) -> dict[Any, int]:
    """How many main seats agreed to each version, by its key; those that were abandoned later included."""
    counts: dict[Any, int] = {}
    held = Ballot.objects.filter(experiment=experiment, kind=Ballot.Kind.MAIN, consent__isnull=False)
    for version in held.values_list("consent__text_version", flat=True):
        counts[version] = counts.get(version, 0) + 1
    return counts
