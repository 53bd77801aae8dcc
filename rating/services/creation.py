"""Creation of an experiment from an upload: the collection, the copies at one loudness and the import in one step."""

from typing import Any

from django.db import transaction

from core.models import User
from rating.models import Experiment
from rating.services.experiments import create_experiment
from stimuli.models import Import
from stimuli.services.imports import confirm_import
from stimuli.services.normalisation import ask_for_copy_of_import


@transaction.atomic
def create_from_upload(
    *, owner: User, upload: Import, target_lufs: float | None, proposal_seen: bool, **fields: Any
) -> Experiment:
    """Create a draft for the clips of an upload, and have them imported if the reader has seen what was found.

    Otherwise the import waits, and the overview of the experiment asks for it. With a target, the experiment hears
    copies at that loudness, which are made after the import.
    """
    collection = upload.collection
    if target_lufs is not None:
        collection = ask_for_copy_of_import(import_=upload, target_lufs=target_lufs, actor=owner)
    experiment = create_experiment(owner=owner, collection=collection, **fields)
    if proposal_seen and upload.state == Import.State.PROPOSED:
        confirm_import(import_=upload, actor=owner)
    return experiment
