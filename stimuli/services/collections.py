"""Collections: made, filled with stimuli, listed."""

import hashlib
from collections.abc import Mapping
from uuid import UUID

from django.core.files.base import ContentFile
from django.db import transaction

from core.models import User
from core.services import audit
from stimuli.audio import ServedAudio, served_form
from stimuli.errors import CollectionNotFound, StimulusNotFound
from stimuli.models import Collection, Condition, Item, Recording, Stimulus


@transaction.atomic
def create_collection(*, owner: User, slug: str, title: str) -> Collection:
    collection = Collection.objects.create(owner=owner, slug=slug, title=title)
    audit.record(actor=owner, action="collection.created", target=f"collection/{slug}", after={"title": title})
    return collection


def collection_for(user: User, slug: str) -> Collection:
    collection = Collection.objects.visible_to(user).filter(slug=slug).first()
    if collection is None:
        raise CollectionNotFound(slug=slug)
    return collection


def stimulus_in(collection: Collection, stimulus_id: UUID) -> Stimulus:
    stimulus = Stimulus.objects.select_related("recording").filter(pk=stimulus_id, item__collection=collection).first()
    if stimulus is None:
        raise StimulusNotFound
    return stimulus


@transaction.atomic
def add_stimulus(
    *,
    collection: Collection,
    item: str,
    condition: str,
    content: bytes,
    role: Condition.Role = Condition.Role.TEST,
    factors: Mapping[str, str] | None = None,
) -> Stimulus:
    """Put one sound into the cell item x condition, in the form in which it will be heard."""
    audio = served_form(content, name=f"{item} x {condition}")
    item_row, _ = Item.objects.get_or_create(collection=collection, name=item, defaults={"factors": factors or {}})
    condition_row, _ = Condition.objects.get_or_create(collection=collection, name=condition, defaults={"role": role})
    return Stimulus.objects.create(item=item_row, condition=condition_row, recording=_keep(audio))


def matrix(*, collection: Collection) -> tuple[list[str], list[tuple[str, list[Stimulus | None]]]]:
    """Return the condition names and, for each item, its stimulus under every condition (or None)."""
    conditions = list(collection.conditions.values_list("name", flat=True))
    cells = {
        (stimulus.item.name, stimulus.condition.name): stimulus
        for stimulus in Stimulus.objects.filter(item__collection=collection).select_related(
            "item", "condition", "recording"
        )
    }
    names = collection.items.values_list("name", flat=True)
    return conditions, [(name, [cells.get((name, condition)) for condition in conditions]) for name in names]


def _keep(audio: ServedAudio) -> Recording:
    """Store the bytes under the name of their content: the same sound twice is one file."""
    sha256 = hashlib.sha256(audio.wav).hexdigest()
    recording = Recording.objects.filter(sha256=sha256).first()
    if recording is not None:
        return recording
    recording = Recording(
        sha256=sha256,
        byte_count=len(audio.wav),
        sample_rate_hz=audio.sample_rate_hz,
        channels=audio.channels,
        length_samples=audio.length_samples,
    )
    recording.file.save(f"{sha256}.wav", ContentFile(audio.wav), save=False)
    recording.save()
    return recording
