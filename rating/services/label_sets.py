"""Own label sets of an experiment: copied from another one, changed, approved and deleted while it is a draft."""

import secrets
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from django.conf.global_settings import LANGUAGES
from django.db import transaction
from django.utils.translation import gettext_noop as _

from core.errors import AppError
from core.i18n import LazyMessage
from core.models import User
from core.services import audit
from rating.errors import wrong_state
from rating.label_sets import as_label_set, label_sets_of
from rating.models import Experiment, OwnLabelSet
from rating.protocol import LabelSet, LabelStatus, Protocol
from rating.registry import get_protocol
from rating.services.experiments import check_label_set, locked

LONGEST_QUESTION = 500
LONGEST_LABEL = 100
MOST_SETS = 20
KNOWN_LANGUAGES = dict(LANGUAGES)  # all that Django has a name for, not only those of the pages
PARTS = {"question": LONGEST_QUESTION, "attend": LONGEST_QUESTION, "word": LONGEST_LABEL}


@transaction.atomic
def copy_label_set(*, experiment: Experiment, actor: User, source: str, language: str = "") -> OwnLabelSet:
    """Make a draft with the words of another set, to be changed. It has the same scales and the same numbers."""
    experiment = _draft(experiment)
    words = _known(experiment, source)
    if experiment.own_label_sets.count() >= MOST_SETS:
        raise AppError(
            "label_set.too_many", 409, _("An experiment has at most {most} label sets of its own."), most=MOST_SETS
        )
    language = language or words.language
    _check_language(language)
    made = OwnLabelSet.objects.create(
        experiment=experiment,
        protocol=experiment.protocol,
        name=f"own-{language}-{secrets.token_hex(3)}",
        language=language,
        based_on=words.id,
        scales=scales_of(words),
    )
    _record(actor, experiment, "label_set.created", made)
    return made


@transaction.atomic
def add_label_set(
    *, experiment: Experiment, actor: User, name: str, language: str, based_on: str, approved: bool, scales: Any
) -> OwnLabelSet:
    """Give a draft a set with these words, such as one of a file; where the name is taken, it gets another."""
    experiment = _draft(experiment)
    read = read_label_set(get_protocol(experiment.protocol), language=language, based_on=based_on, scales=scales)
    taken = OwnLabelSet.objects.filter(name=name).exists()
    made = OwnLabelSet.objects.create(
        experiment=experiment,
        protocol=experiment.protocol,
        name=f"own-{language}-{secrets.token_hex(3)}" if taken else name,
        language=language,
        based_on=based_on,
        status=LabelStatus.REVIEWED if approved else LabelStatus.DRAFT,
        scales=read,
    )
    _record(actor, experiment, "label_set.created", made)
    return made


def read_label_set(protocol: Protocol, *, language: str, based_on: str, scales: Any) -> dict[str, Any]:
    """The words of a set that is not stored yet: the protocol's sets have the same scales and numbers."""
    _check_language(language)
    sets = {labels.id: labels for labels in protocol.label_sets}
    return _read_scales(scales, sets.get(based_on, protocol.label_sets[0]))


@transaction.atomic
def change_label_set(
    *, experiment: Experiment, actor: User, name: str, language: str, scales: Mapping[str, Any]
) -> OwnLabelSet:
    """Change the words; changed words are a draft again, until a person approves them."""
    own = own_label_set(_draft(experiment), name)
    _check_language(language)
    read = _read_scales(scales, as_label_set(own))
    if (own.language, own.scales) != (language, read):
        own.language, own.scales, own.status = language, read, LabelStatus.DRAFT
        own.save(update_fields=["language", "scales", "status"])
        _record(actor, own.experiment, "label_set.changed", own)
    return own


@transaction.atomic
def approve_label_set(*, experiment: Experiment, actor: User, name: str, approved: bool = True) -> OwnLabelSet:
    """Say that the words were checked, so that the experiment can go live with them, or take that back."""
    own = own_label_set(_draft(experiment), name)
    own.status = LabelStatus.REVIEWED if approved else LabelStatus.DRAFT
    own.save(update_fields=["status"])
    _record(actor, own.experiment, "label_set.approved" if approved else "label_set.reopened", own)
    return own


@transaction.atomic
def delete_label_set(*, experiment: Experiment, actor: User, name: str) -> None:
    experiment = _draft(experiment)
    own = own_label_set(experiment, name)
    if experiment.label_set == own.name:
        raise AppError(
            "label_set.in_use", 409, _("The experiment uses this label set. Choose another one, then delete it.")
        )
    _record(actor, experiment, "label_set.deleted", own)
    own.delete()


def own_label_set(experiment: Experiment, name: str) -> OwnLabelSet:
    found = experiment.own_label_sets.filter(name=name).first()
    if found is None:
        raise AppError(
            "label_set.missing", 404, _("The experiment has no label set of its own called '{name}'."), name=name[:100]
        )
    return found


def copy_own_label_sets(*, source: Experiment, target: Experiment) -> None:
    """Give a copy of an experiment own label sets with the same words, and the one that the source uses."""
    for own in source.own_label_sets.all():
        fields = {name: getattr(own, name) for name in ("protocol", "language", "based_on", "scales", "status")}
        made = OwnLabelSet.objects.create(
            experiment=target, name=f"own-{own.language}-{secrets.token_hex(3)}", **fields
        )
        if source.label_set == own.name:
            target.label_set = made.name
            target.save(update_fields=["label_set"])


def scales_of(labels: LabelSet) -> dict[str, Any]:
    """The words of a set as JSON."""
    scales = {key: asdict(words) for key, words in labels.scales.items()}
    return {key: {**words, "anchors": [list(anchor) for anchor in words["anchors"]]} for key, words in scales.items()}


def _read_scales(given: Mapping[str, Any], like: LabelSet) -> dict[str, Any]:
    """The words that were given, for exactly the scales and numbers that another set has."""
    base = scales_of(like)
    read = {}
    for key, words in base.items():
        new = given.get(key)
        if not isinstance(new, dict) or new.keys() != words.keys():
            raise _unfit(key, LazyMessage("a scale has {parts}.", parts=", ".join(words)))
        texts = {part: _text(new[part], key, most, needed=part == "question") for part, most in PARTS.items()}
        read[key] = {**texts, "anchors": _anchors(new["anchors"], words["anchors"], key)}
    if unknown := [key for key in given if key not in base]:
        raise _unfit(str(unknown[0])[:40], LazyMessage("the protocol has no such scale."))
    return read


def _anchors(given: Any, base: list[list[Any]], key: str) -> list[list[Any]]:
    values = [value for value, _label in base]
    pairs = (
        given if isinstance(given, list) and all(isinstance(each, list) and len(each) == 2 for each in given) else []
    )
    if [value for value, _label in pairs] != values:
        said = LazyMessage("it has a label for each of {values}.", values=", ".join(f"{value:g}" for value in values))
        raise _unfit(key, said)
    return [[value, _text(label, key, LONGEST_LABEL, needed=True)] for value, label in pairs]


def _text(value: Any, key: str, most: int, *, needed: bool) -> str:
    text = value.strip() if isinstance(value, str) else None
    if text is None or len(text) > most or (needed and not text):
        raise _unfit(key, LazyMessage("each text has {least} to {most} characters.", least=int(needed), most=most))
    return text


def _unfit(scale: str, problem: str) -> AppError:
    return AppError(
        "label_set.unfit",
        422,
        _("The words of the scale '{scale}' cannot be used like this: {problem}"),
        scale=scale,
        problem=problem,
    )


def _check_language(language: str) -> None:
    if language not in KNOWN_LANGUAGES:
        raise AppError(
            "label_set.unknown_language",
            422,
            _("The language '{language}' is not known. Give a code such as pt or pt-br."),
            language=language[:20],
        )


def _known(experiment: Experiment, name: str) -> LabelSet:
    sets = {labels.id: labels for labels in label_sets_of(experiment)}
    check_label_set(name, sets.values())
    return sets[name]


def _draft(experiment: Experiment) -> Experiment:
    experiment = locked(experiment)
    if experiment.state != Experiment.State.DRAFT:
        raise wrong_state(experiment, needed="draft")
    return experiment


def _record(actor: User, experiment: Experiment, action: str, own: OwnLabelSet) -> None:
    after = {"name": own.name, "language": own.language, "status": own.status, "scales": own.scales}
    audit.record(actor=actor, action=action, target=f"experiment/{experiment.slug}", after=after)
