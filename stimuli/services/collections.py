"""Collections: creation, access, and single stimuli that the program makes itself."""

import hashlib
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils.translation import gettext_noop as _

from audio.errors import DECODER_SAYS, UNRECOGNISED, EmptyAudio, NotAudio
from audio.formats import HEAD_BYTES, recognise_format
from audio.outline import outline_of
from audio.wav import LEAST_BITS, is_plain, measure_depth
from core.errors import AppError
from core.models import User
from core.querysets import free_slug
from core.services import audit
from stimuli import storage
from stimuli.models import Collection, Condition, Item, Recording, Stimulus
from stimuli.sandbox import to_app_error
from stimuli.services.clips import Clip, Place, Sound, clips_for, make_clips, sounds_in
from stimuli.services.staged_files import StagedFiles, original_name


@transaction.atomic
def create_collection(*, owner: User, slug: str, title: str) -> Collection:
    collection = Collection.objects.create(owner=owner, slug=slug, title=title)
    audit.record(actor=owner, action="collection.created", target=f"collection/{slug}", after={"title": title})
    return collection


def collection_slug_taken(*, slug: str) -> AppError:
    return AppError(
        "collection.slug_taken", 409, _("Another collection has the short name '{slug}'; choose another."), slug=slug
    )


def open_collection(*, owner: User, title: str, slug: str = "") -> Collection:
    """Make an empty collection to import into. Without a short name, one is derived from the title."""
    slug = slug or free_slug(title, among=Collection.objects.all(), otherwise="collection")
    try:
        with transaction.atomic():
            return create_collection(owner=owner, slug=slug, title=title)
    except IntegrityError:
        raise collection_slug_taken(slug=slug) from None


def may_import(*, collection: Collection, person: User) -> bool:
    """Colleagues may read a collection; only its owner, or an admin, changes what others rate."""
    return collection.owner_id == person.pk or person.is_admin


def check_may_import(*, collection: Collection, person: User) -> None:
    if not may_import(collection=collection, person=person):
        raise AppError(
            "collection.not_yours",
            403,
            _("Only {owner}, who owns the collection, can import into it; make a collection of your own."),
            owner=collection.owner.get_username(),
        )


def check_unfrozen(collection: Collection, *, lock: bool = False) -> None:
    """Reject while an experiment that is live, paused or closed uses the collection.

    A copy in which only simulated listeners answer does not count. With a lock, no draft goes live before the
    transaction ends.
    """
    # Additions are rejected too: the hash of a frozen design covers every stimulus and factor, letters that stand for
    # conditions are drawn from all of them, and one clip of another depth or length changes how others are served.
    experiments = collection.experiments.for_people().order_by("pk")
    draft = experiments.model.State.DRAFT
    for experiment in experiments.select_for_update() if lock else experiments:
        if experiment.state != draft:
            raise AppError(
                "collection.frozen",
                409,
                _(
                    "The experiment '{title}' uses this collection and is no draft any more. Its answers belong to "
                    "the sounds that were heard, so nothing can be added or changed. Copy the collection, or make a "
                    "new one."
                ),
                title=experiment.title,
            )


def check_replaceable(*, stimulus: Stimulus, person: User) -> None:
    """Reject unless this person may give the stimulus another sound now."""
    check_may_import(collection=stimulus.item.collection, person=person)
    if stimulus.recording_id is None:
        raise AppError("stimulus.no_sound", 409, _("This stimulus is a text. Import a table to change it."))
    check_unfrozen(stimulus.item.collection)


def collection_for(user: User, slug: str) -> Collection:
    collection = Collection.objects.visible_to(user).filter(slug=slug).first()
    if collection is None:
        raise AppError(
            "collection.not_found", 404, _("There is no collection '{slug}' among those you may see."), slug=slug
        )
    return collection


def stimulus_in(collection: Collection, stimulus_id: UUID) -> Stimulus:
    related = Stimulus.objects.select_related("recording", "condition", "item__collection")
    stimulus = related.filter(pk=stimulus_id, item__collection=collection).first()
    if stimulus is None:
        raise AppError("stimulus.not_found", 404, _("There is no such stimulus in this collection."))
    return stimulus


@dataclass(frozen=True)
class NewSound:
    """A sound that this program made itself, and the cell it goes into."""

    item: str
    condition: str
    content: bytes
    role: Condition.Role = Condition.Role.TEST
    factors: Mapping[str, str] = field(default_factory=dict)  # of the item, if it is new


def add_stimulus(
    *,
    collection: Collection,
    item: str,
    condition: str,
    content: bytes,
    role: Condition.Role = Condition.Role.TEST,
    factors: Mapping[str, str] | None = None,
) -> Stimulus:
    """Put one sound into a cell, as add_stimuli does."""
    sound = NewSound(item, condition, content, role, factors or {})
    (stimulus,) = add_stimuli(collection=collection, sounds=[sound])
    return stimulus


@transaction.atomic
def add_stimuli(*, collection: Collection, sounds: Sequence[NewSound]) -> list[Stimulus]:
    """Put sounds that this program made itself into cells; uploaded files come in through an import.

    They are not measured here; the quality checks do that when they are asked for.
    """
    recordings = _keep(sounds)
    items = {row.name: row for row in collection.items.all()}
    conditions = {row.name: row for row in collection.conditions.all()}
    old_items, old_conditions = len(items), len(conditions)
    for sound in sounds:
        items.setdefault(sound.item, Item(collection=collection, name=sound.item, factors=dict(sound.factors)))
        conditions.setdefault(sound.condition, Condition(collection=collection, name=sound.condition, role=sound.role))
    Item.objects.bulk_create(list(items.values())[old_items:])
    Condition.objects.bulk_create(list(conditions.values())[old_conditions:])
    stimuli = [
        Stimulus(
            item=items[sound.item],
            condition=conditions[sound.condition],
            recording=recording,
            starts_at_s=Condition.Role(conditions[sound.condition].role).usual_start_s,
        )
        for sound, (recording, _plain) in zip(sounds, recordings, strict=True)
    ]
    made = [
        _sound(stimulus, recording, plain=plain)
        for stimulus, (recording, plain) in zip(stimuli, recordings, strict=True)
    ]
    served = _serve(collection, made)
    for stimulus, own in zip(stimuli, made, strict=True):
        stimulus.served.name = served[own.place]
    return Stimulus.objects.bulk_create(stimuli)


@transaction.atomic
def add_text(
    *,
    collection: Collection,
    item: str,
    condition: str,
    text: Mapping[str, Any],
    role: Condition.Role = Condition.Role.TEST,
    factors: Mapping[str, str] | None = None,
) -> Stimulus:
    """Put one text that this program wrote itself into a cell: {"kind", "text", "tokens"}, and what its kind needs."""
    item_row, _ = Item.objects.get_or_create(collection=collection, name=item, defaults={"factors": factors or {}})
    condition_row, _ = Condition.objects.get_or_create(collection=collection, name=condition, defaults={"role": role})
    return Stimulus.objects.create(item=item_row, condition=condition_row, text=dict(text))


def _serve(collection: Collection, new: list[Sound]) -> dict[Place, str]:
    """Make the clips of new sounds, and anew those that they change; the name of every clip by its cell."""
    clips = clips_for([*sounds_in(collection), *new], collection=collection)
    changed: list[Clip] = [clip for clip in clips if clip.name != clip.sound.served]
    make_clips(changed, StagedFiles())
    without_row = {sound.place for sound in new}
    for clip in changed:
        if clip.sound.place not in without_row:
            item, condition = clip.sound.place
            cell = Stimulus.objects.filter(item__collection=collection, item__name=item, condition__name=condition)
            cell.update(served=clip.name)
    return {clip.sound.place: clip.name for clip in clips}


def _sound(stimulus: Stimulus, recording: Recording, *, plain: bool) -> Sound:
    return Sound(
        place=(stimulus.item.name, stimulus.condition.name),
        sha256=recording.sha256,
        file=str(recording.file.name),
        sample_rate_hz=recording.sample_rate_hz,
        channels=recording.channels,
        length_samples=recording.length_samples,
        bits=recording.bits,
        is_plain=plain,
    )


def _keep(sounds: Sequence[NewSound]) -> list[tuple[Recording, bool]]:
    """Store the bytes under the name of their content: the same sound twice is one file. Also whether each is plain."""
    read = [_read(sound.content, name=f"{sound.item} x {sound.condition}") for sound in sounds]
    wanted = {recording.sha256: (recording, sound) for sound, (recording, _plain) in zip(sounds, read, strict=True)}
    kept = {row.sha256: row for row in Recording.objects.filter(sha256__in=wanted)}
    new = {sha256: recording for sha256, (recording, _sound) in wanted.items() if sha256 not in kept}
    for sha256, recording in new.items():
        storage.keep(str(recording.file.name), wanted[sha256][1].content)
    Recording.objects.bulk_create(new.values())
    kept |= new
    return [(kept[recording.sha256], plain) for recording, plain in read]


def _read(content: bytes, *, name: str) -> tuple[Recording, bool]:
    """What a sound is, not stored yet, and whether it is plain."""
    import soundfile  # loaded by demos and tests only

    kind = recognise_format(content[:HEAD_BYTES])
    if kind is None:
        raise to_app_error(NotAudio(name=name, problem=UNRECOGNISED))
    try:
        found = soundfile.info(io.BytesIO(content))
    except soundfile.LibsndfileError as trouble:
        complaint = str(trouble.error_string).rstrip(".")
        raise to_app_error(NotAudio(name=name, problem=DECODER_SAYS, complaint=complaint)) from None
    if not found.frames:
        raise to_app_error(EmptyAudio(name=name))
    bits = {"PCM_24": 24, "PCM_32": 32, "FLOAT": 32, "DOUBLE": 32}.get(found.subtype, 16)
    samples = soundfile.read(io.BytesIO(content), dtype="float32", always_2d=True)[0]
    if bits > LEAST_BITS:
        bits = measure_depth(samples, bits)
    sha256 = hashlib.sha256(content).hexdigest()
    recording = Recording(
        sha256=sha256,
        file=original_name(sha256, kind),
        byte_count=len(content),
        format=kind.value,
        sample_rate_hz=found.samplerate,
        channels=found.channels,
        length_samples=found.frames,
        bits=bits,
        outline=outline_of(samples),
    )
    return recording, is_plain(content[:44], len(content), bits=bits)
