"""Plain copies of collections: new rows for the same sounds, which are stored once."""

from django.db import IntegrityError, transaction
from django.db.models import Sum

from core.models import User
from core.querysets import free_slug
from core.services import audit
from stimuli.models import Collection, Condition, Item, Recording, Stimulus
from stimuli.services.collections import collection_slug_taken
from stimuli.services.imports import reserve_space
from stimuli.uploads.manifest import DeclaredFile

ROWS_AT_ONCE = 500


def copy_collection(*, source: Collection, title: str, slug: str = "", actor: User) -> Collection:
    """Copy the items, conditions and stimuli of a collection as they are; its imports and earlier versions stay."""
    slug = slug or free_slug(title, among=Collection.objects.all(), otherwise="collection")
    try:
        with transaction.atomic():
            return _copied(source, title=title, slug=slug, actor=actor)
    except IntegrityError:
        raise collection_slug_taken(slug=slug) from None


def _copied(source: Collection, *, title: str, slug: str, actor: User) -> Collection:
    source = Collection.objects.select_for_update().get(pk=source.pk)  # no clip goes while its name is copied
    _reserve(source, actor)
    made = Collection.objects.create(owner=actor, slug=slug, title=title, version=1)
    items = {
        item.pk: Item(
            collection=made,
            name=item.name,
            factors=item.factors,
            excluded_at=item.excluded_at,
            excluded_reason=item.excluded_reason,
        )
        for item in source.items.all()
    }
    conditions = {
        one.pk: Condition(collection=made, name=one.name, role=one.role, factors=one.factors)
        for one in source.conditions.all()
    }
    Item.objects.bulk_create(items.values(), batch_size=ROWS_AT_ONCE)
    Condition.objects.bulk_create(conditions.values(), batch_size=ROWS_AT_ONCE)
    stimuli = [
        Stimulus(
            item=items[one.item_id],
            condition=conditions[one.condition_id],
            recording_id=one.recording_id,
            text=one.text,
            served=one.served.name,
            starts_at_s=one.starts_at_s,
            clock=one.clock,
        )
        for one in Stimulus.objects.filter(item__collection=source)
    ]
    Stimulus.objects.bulk_create(stimuli, batch_size=ROWS_AT_ONCE)
    after = {"title": title, "source": source.slug, "version": source.version, "stimuli": len(stimuli)}
    audit.record(actor=actor, action="collection.copied", target=f"collection/{slug}", after=after)
    return made


def _reserve(source: Collection, actor: User) -> None:
    """Reject sounds of others that do not fit into the quota; they count for everybody who has them."""
    own = Stimulus.objects.filter(item__collection__owner=actor, recording__isnull=False).values("recording")
    heard = Stimulus.objects.filter(item__collection=source).exclude(recording__in=own).values("recording")
    byte_count = Recording.objects.filter(pk__in=heard).aggregate(total=Sum("byte_count"))["total"]
    if byte_count:
        reserve_space(actor, [DeclaredFile(source.slug, byte_count)])
