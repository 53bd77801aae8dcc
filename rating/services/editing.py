"""Changes of an experiment's fields: all of them in a draft, afterwards the texts, as amendments with a reason."""

from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext_noop as _

from core.errors import AppError
from core.models import User
from core.services import audit
from rating.analysis_plan import read_plan
from rating.errors import reason_missing, wrong_state
from rating.label_sets import label_sets_of
from rating.models import Experiment
from rating.options import check_options
from rating.question_definitions import read_questions
from rating.registry import get_protocol
from rating.services.access import let_read
from rating.services.experiments import (
    check_design,
    check_label_set,
    check_language,
    check_no_jobs,
    design_digest,
    free_slug,
    locked,
    material_of,
    slug_taken,
)
from rating.services.text_languages import follow_language
from rating.services.texts import TEXTS, publish_texts

EDITABLE = ("slug", "collection", "protocol", "label_set", "language", "analysis_plan", "questions", *TEXTS)
MATERIAL = {"collection", "protocol"}  # what the pages of every seat are drawn from
SHAPING = {"consent_text", "instructions"}  # texts that are part of the hash of the design


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
    _check_texts(experiment)
    check_label_set(experiment.label_set, label_sets_of(experiment))
    check_language(experiment.language)
    if "analysis_plan" in fields:
        protocol, conditions = get_protocol(experiment.protocol), experiment.collection.conditions
        experiment.analysis_plan = read_plan(
            experiment.analysis_plan,
            scales=[scale.key for scale in protocol.scales],
            conditions=set(conditions.values_list("name", flat=True)),
        )
    if "questions" in before:
        experiment.questions = [question.stored() for question in read_questions(experiment.questions)]
    follow_language(experiment, before)
    experiment.save(update_fields=[*before, "unadapted_texts"])
    after = {name: getattr(experiment, name) for name in before}
    audit.record(actor=actor, action="experiment.edited", target=target, before=_told(before), after=_told(after))
    return experiment


def _fit_material(experiment: Experiment, before: dict[str, Any]) -> dict[str, Any]:
    """Fit the rest to another collection or protocol; return what changed with it. Seats keep both as they are."""
    check_no_jobs(experiment)
    _check_no_seats(experiment)
    protocol, also = get_protocol(experiment.protocol), {}
    if experiment.analysis_plan and "analysis_plan" not in before:
        also["analysis_plan"], experiment.analysis_plan = experiment.analysis_plan, {}  # it names scales and conditions
    if "protocol" in before:
        also["options"], experiment.options = experiment.options, dict(protocol.defaults)
    check_options(protocol, experiment.options, material_of(experiment.collection))
    if experiment.checks:
        also["checks"], experiment.checks = experiment.checks, {}
    if "collection" in before:
        let_read(experiment.collection, experiment.owner, *experiment.collaborators.all())
    return also


@transaction.atomic
def amend_texts(*, experiment: Experiment, actor: User, reason: str, **texts: str) -> Experiment:
    """Change texts after the experiment went live. New seats read them; a seat that was taken keeps its own."""
    if unknown := texts.keys() - set(TEXTS):
        raise TypeError(f"An experiment has no text called {', '.join(sorted(unknown))}.")
    experiment = locked(experiment)
    before = {name: getattr(experiment, name) for name in texts if getattr(experiment, name) != texts[name]}
    _check_amendable(experiment, shaping=bool(before.keys() & SHAPING))
    if not before:
        return experiment
    if not reason.strip():
        raise reason_missing()
    for name in before:
        setattr(experiment, name, texts[name])
    _check_texts(experiment)
    hashed = {"design_sha256": experiment.design_sha256}
    if before.keys() & SHAPING:
        experiment.design_sha256 = design_digest(experiment)
    follow_language(experiment, before)
    experiment.save(update_fields=[*before, "design_sha256", "unadapted_texts"])
    version = publish_texts(experiment=experiment, now=timezone.now(), reason=reason.strip())
    after = {name: texts[name] for name in before} | {"version": version.number, "state": str(experiment.state)}
    audit.record(
        actor=actor,
        action="experiment.amended",
        target=f"experiment/{experiment.slug}",
        before=before | hashed,
        after=after | {"design_sha256": experiment.design_sha256},
        reason=reason.strip(),
    )
    return experiment


def _check_amendable(experiment: Experiment, *, shaping: bool) -> None:
    if experiment.state == Experiment.State.DRAFT:
        raise wrong_state(experiment, needed="live, paused or closed")
    if shaping and experiment.state == Experiment.State.CLOSED:
        raise wrong_state(experiment, needed="live or paused")
    if shaping:
        check_design(experiment)  # a new hash must not cover a collection that has changed since


def _check_texts(experiment: Experiment) -> None:
    if not (experiment.title.strip() and experiment.consent_text.strip()):
        raise AppError("experiment.text_missing", 422, _("The title and the consent text cannot be empty."))


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


def _told(values: dict[str, Any]) -> dict[str, Any]:
    """Values as the audit log keeps them: a collection by its short name."""
    return {name: getattr(value, "slug", value) for name, value in values.items()}
