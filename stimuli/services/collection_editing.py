"""Editing of collections: title, owner, roles of conditions, items that new designs leave out, and deletion."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import Count, Q, QuerySet, Sum
from django.utils.translation import gettext_noop as _

from audio.merge_chunks import LOUDNESS, TILE_INDEX, TILES, peaks_name
from core.errors import AppError
from core.models import User
from core.services import audit
from stimuli.models import Collection, Condition, FormerRecording, Import, Item, Recording, Stimulus
from stimuli.services.collections import check_may_import, check_unfrozen
from stimuli.services.ingest import chunk_count
from stimuli.services.sources import Derived, is_long
from stimuli.services.staged_files import discard_unnamed
from stimuli.uploads import files as upload_files

MOST_LEVELS = 40  # of peaks; each holds half as many as the one before


@transaction.atomic
def rename_collection(*, collection: Collection, title: str, actor: User) -> Collection:
    """Give a collection another title; its short name stays, because addresses hold it."""
    check_may_import(collection=collection, person=actor)
    collection = Collection.objects.select_for_update().get(pk=collection.pk)
    before, collection.title = collection.title, title.strip()
    if not collection.title:
        raise AppError("collection.title_missing", 422, _("Give the collection a title."))
    if before != collection.title:
        collection.save(update_fields=["title"])
        audit.record(
            actor=actor,
            action="collection.renamed",
            target=f"collection/{collection.slug}",
            before={"title": before},
            after={"title": collection.title},
        )
    return collection


@transaction.atomic
def hand_over_collection(*, collection: Collection, colleague: str, actor: User) -> Collection:
    """Give a collection to a colleague; the owner until now can still listen to it and copy it."""
    check_may_import(collection=collection, person=actor)
    collection = Collection.objects.select_for_update(of=("self",)).select_related("owner").get(pk=collection.pk)
    person, before = User.objects.filter(username=colleague.strip(), is_active=True).first(), collection.owner
    if person is None:
        raise AppError(
            "collection.colleague_unknown",
            422,
            _("There is no account called '{name}'. Ask your colleague for the name they sign in with."),
            name=colleague,
        )
    if person != before:
        collection.owner = person
        collection.save(update_fields=["owner"])
        collection.readers.add(before)
        collection.readers.remove(person)
        audit.record(
            actor=actor,
            action="collection.transferred",
            target=f"collection/{collection.slug}",
            before={"owner": before.username},
            after={"owner": person.username},
        )
    return collection


# --- Roles of conditions ----------------------------------------------------------------------------------------------


def check_roles_open(collection: Collection, *, lock: bool = False) -> None:
    """Reject where seats were laid out with the roles that the conditions have."""
    check_unfrozen(collection, lock=lock)
    for experiment in collection.experiments.for_people():
        if experiment.ballots.exists():
            raise AppError(
                "collection.roles_laid_out",
                409,
                _(
                    "The draft '{title}' has seats that were laid out with the roles as they are. Remove its seats, or "
                    "copy the collection."
                ),
                title=experiment.title,
            )


@transaction.atomic
def change_roles(*, collection: Collection, roles: Mapping[UUID, str], actor: User) -> None:
    """Give conditions other roles, as long as nothing was laid out with those they have."""
    check_may_import(collection=collection, person=actor)
    collection = Collection.objects.select_for_update().get(pk=collection.pk)
    check_roles_open(collection, lock=True)
    changed = [one for one in collection.conditions.all() if roles.get(one.pk, one.role) != one.role]
    before = {one.name: one.role for one in changed}
    for one in changed:
        one.role = Condition.Role(roles[one.pk])
        one.save(update_fields=["role"])
        one.stimuli.filter(starts_at_s__isnull=True).update(starts_at_s=one.role.usual_start_s)
    if changed:
        after = {one.name: str(one.role) for one in changed}
        target = f"collection/{collection.slug}"
        audit.record(actor=actor, action="collection.roles_changed", target=target, before=before, after=after)


# --- Items that new designs leave out ---------------------------------------------------------------------------------


def item_in(collection: Collection, item_id: UUID) -> Item:
    item = collection.items.select_related("collection").filter(pk=item_id).first()
    if item is None:
        raise AppError("collection.item_not_found", 404, _("There is no such item in this collection."))
    return item


@transaction.atomic
def exclude_item(*, item: Item, actor: User, reason: str = "", now: datetime) -> Item:
    """Leave an item out of designs and seats that are made from now on; those that were made before keep it."""
    _check_item_open(item, actor)
    if item.excluded_at is None:
        item.excluded_at, item.excluded_reason = now, reason.strip()[:500]
        _save_exclusion(item, actor, "item.excluded", item.excluded_reason)
    return item


@transaction.atomic
def include_item(*, item: Item, actor: User) -> Item:
    """Take an item that was excluded into new designs again."""
    _check_item_open(item, actor)
    if item.excluded_at is not None:
        item.excluded_at, item.excluded_reason = None, ""
        _save_exclusion(item, actor, "item.included", "")
    return item


def _check_item_open(item: Item, actor: User) -> None:
    """A live or paused experiment draws more seats from the items with which it went live."""
    collection = item.collection
    check_may_import(collection=collection, person=actor)
    experiments = collection.experiments.order_by("pk").select_for_update()
    states = experiments.model.State
    for experiment in experiments:
        if experiment.state in (states.LIVE, states.PAUSED):
            raise AppError(
                "collection.item_in_use",
                409,
                _(
                    "The experiment '{title}' collects answers with this collection, so its items cannot change. Close "
                    "it first, or make a new collection."
                ),
                title=experiment.title,
            )


def _save_exclusion(item: Item, actor: User, action: str, reason: str) -> None:
    item.save(update_fields=["excluded_at", "excluded_reason"])
    audit.record(
        actor=actor,
        action=action,
        target=f"collection/{item.collection.slug}",
        after={"item": item.name},
        reason=reason,
    )


# --- Deletion ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Losses:
    """What is lost with a collection, and what keeps it from being deleted."""

    items: int
    stimuli: int
    recordings: int  # that no other collection holds
    byte_count: int
    experiments: list[str]


def losses_of(collection: Collection) -> Losses:
    own = _own_recordings(collection)
    totals = own.aggregate(count=Count("pk"), total=Sum("byte_count"))
    return Losses(
        items=collection.items.count(),
        stimuli=Stimulus.objects.filter(item__collection=collection).count(),
        recordings=totals["count"],
        byte_count=totals["total"] or 0,
        experiments=list(collection.experiments.order_by("title").values_list("title", flat=True)),
    )


@transaction.atomic
def delete_collection(*, collection: Collection, typed: str, actor: User) -> None:
    """Delete a collection and the sounds that nothing else holds, once its short name was typed."""
    check_may_import(collection=collection, person=actor)
    collection = Collection.objects.select_for_update().get(pk=collection.pk)
    lost = losses_of(collection)
    if lost.experiments:
        raise AppError(
            "collection.in_use",
            409,
            _("The experiment '{title}' uses this collection, so it cannot be deleted. Delete the experiment first."),
            title=lost.experiments[0],
        )
    if typed.strip() != collection.slug:
        raise AppError(
            "collection.not_confirmed",
            422,
            _("Type the short name '{slug}' to confirm that the collection may be deleted."),
            slug=collection.slug,
        )
    recordings = list(_own_recordings(collection).order_by("-created_at"))  # copies before what they were made from
    clips = Stimulus.objects.filter(item__collection=collection).exclude(served="").values_list("served", flat=True)
    names = [*clips, *(name for recording in recordings for name in _files_of(recording))]
    imports = list(Import.objects.filter(collection=collection).values_list("pk", flat=True))
    slug = collection.slug
    collection.delete()
    for recording in recordings:
        recording.delete()
    before = {"title": collection.title, "items": lost.items, "stimuli": lost.stimuli, "bytes": lost.byte_count}
    audit.record(actor=actor, action="collection.deleted", target=f"collection/{slug}", before=before)
    transaction.on_commit(lambda: _discard(names, imports))


def _own_recordings(collection: Collection) -> QuerySet[Recording]:
    """The recordings that only this collection holds, now or in an earlier version, and from which no copy was made."""
    here = Q(stimuli__item__collection=collection)
    former = FormerRecording.objects.filter(stimulus__item__collection=collection).values("recording")
    elsewhere = Stimulus.objects.exclude(item__collection=collection).filter(recording__isnull=False)
    former_elsewhere = FormerRecording.objects.exclude(stimulus__item__collection=collection)
    copied = Recording.objects.filter(made_from__isnull=False).exclude(stimuli__item__collection=collection)
    return (
        Recording.objects.filter(here | Q(pk__in=former))
        .exclude(pk__in=elsewhere.values("recording"))
        .exclude(pk__in=former_elsewhere.values("recording"))
        .exclude(pk__in=copied.values("made_from"))
        .distinct()
    )


def _files_of(recording: Recording) -> list[str]:
    names = [str(recording.file.name)]
    if is_long(recording):
        derived = Derived.of(recording)
        names += [derived.frames, *(derived.file(name) for name in (TILES, TILE_INDEX, LOUDNESS))]
        names += [derived.file(peaks_name(level)) for level in range(MOST_LEVELS)]
        numbers = range(chunk_count(recording))
        names += [name for number in numbers for name in (derived.chunk(number), derived.master(number))]
    return names


def _discard(names: list[str], imports: list[UUID]) -> None:
    discard_unnamed(names)
    for import_id in imports:
        upload_files.discard(import_id)
