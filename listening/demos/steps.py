"""Steps that demos share; each finds what an attempt that was cut short has made already."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core.models import User
from listening.panels.services.panels import create_panel
from listening.panels.services.session_settings import change_session_settings
from rating.models import Experiment
from rating.services.experiments import create_experiment, go_live
from stimuli.models import Collection
from stimuli.services.collections import create_collection
from stimuli.services.imports import drafted_folder, import_draft


def find_or_make_collection(*, owner: User, slug: str, title: str) -> Collection:
    return Collection.objects.filter(slug=slug).first() or create_collection(owner=owner, slug=slug, title=title)


def find_or_make_experiment(*, owner: User, slug: str, **about: Any) -> Experiment:
    found = Experiment.objects.filter(slug=slug).first()
    return found or create_experiment(owner=owner, slug=slug, seed="demo", **about)


def launch(*, experiment: Experiment, owner: User, seats: Mapping[str, int]) -> Experiment:
    """Make a panel for each group ("" where there is none) and go live, without a check of ears and level."""
    for group, count in seats.items():
        if not experiment.panels.filter(group=group).exists():
            create_panel(experiment=experiment, seats=count, actor=owner, group=group)
    if experiment.state != Experiment.State.DRAFT:
        return experiment
    change_session_settings(experiment=experiment, actor=owner, ear_check=False, level_check=False)
    return go_live(experiment=experiment, actor=owner)


def import_folder(*, folder: Path, collection: Collection, owner: User, metadata: Path | None = None) -> None:
    """Bring a folder in the way that an experimenter would; nobody watches."""
    with drafted_folder(folder=folder, metadata=metadata, progress=_silently) as drafted:
        import_draft(drafted=drafted, collection=collection, actor=owner, progress=_silently)


def _silently(done: int, total: int, note: str) -> None:
    """Nobody watches."""
