"""Copies of experiments: all settings, with a seed of their own, and no seats or answers."""

from django.db import transaction
from django.forms.models import model_to_dict
from django.utils.translation import gettext

from core.models import User
from core.services import audit
from listening.models import SessionSettings
from rating.models import Experiment
from rating.registry import get_protocol
from rating.services.access import let_read
from rating.services.editing import edit_experiment
from rating.services.experiments import create_experiment, usual_label_set
from rating.services.label_sets import copy_own_label_sets
from rating.services.texts import TEXTS

LONGEST_TITLE = 200


@transaction.atomic
def copy_experiment(*, experiment: Experiment, actor: User, title: str = "") -> Experiment:
    """Make a draft of the actor's own with the same collection, protocol, options, texts, questions and
    session settings."""
    texts = {name: getattr(experiment, name) for name in TEXTS}
    texts["title"] = title or (gettext("Copy of %(title)s") % {"title": experiment.title})[:LONGEST_TITLE]
    let_read(experiment.collection, actor)
    protocol, own = get_protocol(experiment.protocol), experiment.own_label_sets.exists()
    copy = create_experiment(
        owner=actor,
        collection=experiment.collection,
        protocol_slug=experiment.protocol,
        label_set=usual_label_set(protocol, experiment.language) if own else experiment.label_set,
        language=experiment.language,
        options=experiment.options,
        questions=experiment.questions,
        **texts,
    )
    if experiment.analysis_plan:
        edit_experiment(experiment=copy, actor=actor, analysis_plan=experiment.analysis_plan)
    copy.checks, copy.unadapted_texts = experiment.checks, experiment.unadapted_texts
    copy.save(update_fields=["checks", "unadapted_texts"])
    copy_own_label_sets(source=experiment, target=copy)
    if kept := SessionSettings.objects.filter(experiment=experiment).first():
        SessionSettings.objects.create(experiment=copy, **model_to_dict(kept, exclude=["id", "experiment"]))
    audit.record(
        actor=actor,
        action="experiment.copied",
        target=f"experiment/{copy.slug}",
        after={"from": experiment.slug},
    )
    return copy
