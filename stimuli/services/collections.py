"""Collections: creation, access, and single stimuli that the program makes itself."""

import hashlib
import io
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils.translation import gettext_noop as _

from audio.errors import DECODER_SAYS, UNRECOGNISED, EmptyAudio, NotAudio
from audio.formats import HEAD_BYTES, recognise_format
from audio.wav import LEAST_BITS, is_plain, measure_depth
from core.errors import AppError
from core.models import User
from core.services import audit
from stimuli import storage
from stimuli.models import Collection, Condition, Item, Recording, Stimulus
from stimuli.sandbox import to_app_error
from stimuli.services.clips import Clip, Sound, clips_for, make_clips, sounds_in
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


def open_collection(*, owner: User, slug: str, title: str) -> Collection:
    """Make an empty collection to import into."""
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


def collection_for(user: User, slug: str) -> Collection:
    collection = Collection.objects.visible_to(user).filter(slug=slug).first()
    if collection is None:
        raise AppError(
            "collection.not_found", 404, _("There is no collection '{slug}' among those you may see."), slug=slug
        )
    return collection


def stimulus_in(collection: Collection, stimulus_id: UUID) -> Stimulus:
    stimulus = Stimulus.objects.select_related("recording").filter(pk=stimulus_id, item__collection=collection).first()
    if stimulus is None:
        raise AppError("stimulus.not_found", 404, _("There is no such stimulus in this collection."))
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
    """Put one sound that this program made itself into a cell; uploaded files come in through an import.

    It is not measured here; the quality checks do that when they are asked for.
    """
    recording, plain = _keep(content, name=f"{item} x {condition}")
    item_row, _ = Item.objects.get_or_create(collection=collection, name=item, defaults={"factors": factors or {}})
    condition_row, _ = Condition.objects.get_or_create(collection=collection, name=condition, defaults={"role": role})
    starts_at_s = Condition.Role(condition_row.role).usual_start_s
    stimulus = Stimulus.objects.create(
        item=item_row, condition=condition_row, recording=recording, starts_at_s=starts_at_s
    )
    before = [sound for sound in sounds_in(collection) if sound.place != (item, condition)]
    _serve(collection, [*before, _sound(stimulus, recording, plain=plain)])
    stimulus.refresh_from_db(fields=["served"])
    return stimulus


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


def _serve(collection: Collection, sounds: list[Sound]) -> None:
    """Give every clip of the collection that a new sound changes its new form."""
    changed: list[Clip] = [clip for clip in clips_for(sounds, collection=collection) if clip.name != clip.sound.served]
    make_clips(changed, StagedFiles())
    for clip in changed:
        item, condition = clip.sound.place
        cell = Stimulus.objects.filter(item__collection=collection, item__name=item, condition__name=condition)
        cell.update(served=clip.name)


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


def _keep(content: bytes, *, name: str) -> tuple[Recording, bool]:
    """Store the bytes under the name of their content: the same sound twice is one file."""
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
    if bits > LEAST_BITS:
        bits = measure_depth(soundfile.read(io.BytesIO(content), dtype="float32", always_2d=True)[0], bits)
    sha256 = hashlib.sha256(content).hexdigest()
    plain = is_plain(content[:44], len(content), bits=bits)
    recording = Recording.objects.filter(sha256=sha256).first()
    if recording is None:
        stored = original_name(sha256, kind)
        storage.keep(stored, content)
        recording = Recording.objects.create(
            sha256=sha256,
            file=stored,
            byte_count=len(content),
            format=kind.value,
            sample_rate_hz=found.samplerate,
            channels=found.channels,
            length_samples=found.frames,
            bits=bits,
        )
    return recording, plain
