"""Changes of an experiment's fields while it is a draft."""

from typing import Any

from django.db import IntegrityError, transaction
from django.utils.translation import gettext_noop as _

from core.errors import AppError
from core.models import User
from core.services import audit
from rating.errors import wrong_state
from rating.models import Experiment
from rating.options import check_options
from rating.registry import get_protocol
from rating.services.experiments import (
    check_label_set,
    check_language,
    check_no_jobs,
    free_slug,
    locked,
    material_of,
    slug_taken,
)

EDITABLE = ("title", "slug", "collection", "protocol", "label_set", "language", "consent_text", "contact")
MATERIAL = {"collection", "protocol"}  # what the pages of every seat are drawn from


def edit_experiment(*, experiment: Experiment, actor: User, **fields: Any) -> Experiment:
    """Change fields of a draft; those that are not given stay. An empty short name is derived from the title."""
    if unknown := fields.keys() - set(EDITABLE):
        raise TypeError(f"An experiment has no field to edit called {', '.join(sorted(unknown))}.")
    try:
        with transaction.atomic():
            return _edit(locked(experiment), actor, fields)
    except IntegrityError:
        raise slug_taken(fields["slug"]) from None


def _edit(experiment: Experiment, actor: User, fields: dict[str, Any]) -> Experiment:
    if experiment.state != Experiment.State.DRAFT:
        raise wrong_state(experiment, needed="draft")
    if fields.get("slug") == "":
        fields["slug"] = free_slug(fields.get("title", experiment.title), apart_from=experiment)
    before = {name: getattr(experiment, name) for name in fields if getattr(experiment, name) != fields[name]}
    if not before:
        return experiment
    target = f"experiment/{experiment.slug}"
    for name in before:
        setattr(experiment, name, fields[name])
    if before.keys() & MATERIAL:
        before |= _fit_material(experiment, before)
    check_label_set(get_protocol(experiment.protocol), experiment.label_set)
    check_language(experiment.language)
    experiment.save(update_fields=list(before))
    after = {name: getattr(experiment, name) for name in before}
    audit.record(actor=actor, action="experiment.edited", target=target, before=_told(before), after=_told(after))
    return experiment


def _fit_material(experiment: Experiment, before: dict[str, Any]) -> dict[str, Any]:
    """Fit the rest to another collection or protocol; return what changed with it. Seats keep both as they are."""
    check_no_jobs(experiment)
    _check_no_seats(experiment)
    protocol, also = get_protocol(experiment.protocol), {}
    if "protocol" in before:
        also["options"], experiment.options = experiment.options, dict(protocol.defaults)
    check_options(protocol, experiment.options, material_of(experiment.collection))
    if "collection" in before:
        _let_read(experiment)
    return also


def _check_no_seats(experiment: Experiment) -> None:
    if experiment.ballots.exists():
        raise AppError(
            "experiment.seats_exist",
            409,
            _(
                "The seats of this experiment were drawn from its present collection and protocol. Remove the seats "
                "and links first, then change them."
            ),
        )


def _let_read(experiment: Experiment) -> None:
    """Everybody who works on the experiment may listen to its new collection, as after sharing."""
    people = {experiment.owner, *experiment.collaborators.all()} - {experiment.collection.owner}
    experiment.collection.readers.add(*people)


def _told(values: dict[str, Any]) -> dict[str, Any]:
    """Values as the audit log keeps them: a collection by its short name."""
    return {name: getattr(value, "slug", value) for name, value in values.items()}
