"""Collections restored from the hashes of their sounds, which are taken from the store or from a folder."""

import csv
import hashlib
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_noop as _

from core.errors import AppError
from core.models import User
from core.querysets import free_slug
from stimuli import storage
from stimuli.imports.layouts import MANIFEST
from stimuli.imports.reports import some
from stimuli.models import Collection, Condition, Item, Recording, Stimulus
from stimuli.services.collections import add_text, create_collection
from stimuli.services.imports import drafted_folder, import_draft


@dataclass(frozen=True)
class Cell:
    """A stimulus as a dataset has it: the hash of its sound, or its text, with the factors of item and condition."""

    item: str
    condition: str
    role: str
    sha256: str = ""
    text: Mapping[str, Any] | None = None
    factors: Mapping[str, Any] = field(default_factory=dict)
    condition_factors: Mapping[str, Any] = field(default_factory=dict)
    left_out: str = ""

    @property
    def place(self) -> tuple[str, str]:
        return self.item, self.condition


def find_collection(*, cells: Sequence[Cell], owner: User) -> Collection | None:
    """A collection that this person may see and that holds exactly these stimuli with the same factors."""
    heard = next((cell.sha256 for cell in cells if cell.sha256), "")
    among = Collection.objects.visible_to(owner).filter(items__stimuli__recording__sha256=heard)
    wanted = sorted(map(_contents, cells))
    return next((one for one in among.distinct().order_by("slug") if wanted == _contents_of(one)), None)


def _contents(cell: Cell) -> tuple[Any, ...]:
    heard = cell.sha256 if cell.text is None else ""
    return (*cell.place, cell.role, heard, _plain(cell.text), _plain(cell.factors), _plain(cell.condition_factors))


def _contents_of(collection: Collection) -> list[tuple[Any, ...]]:
    rows = Stimulus.objects.filter(item__collection=collection).values_list(
        *("item__name", "condition__name", "condition__role", "recording__sha256", "text"),
        *("item__factors", "condition__factors"),
    )
    return sorted((*row[:3], row[3] or "", *map(_plain, row[4:])) for row in rows)


def _plain(value: Mapping[str, Any] | None) -> str:
    return repr(sorted((value or {}).items()))


@transaction.atomic
def restore_collection(
    *, cells: Sequence[Cell], title: str, slug: str, owner: User, sounds: Path | None = None
) -> Collection:
    """Make a collection of these stimuli. Sounds are decoded and measured in the sandbox, as in every import."""
    wanted = {cell.sha256 for cell in cells if cell.text is None}
    kept = {row.sha256: row for row in Recording.objects.filter(sha256__in=wanted)}
    found = _in_folder(sounds, wanted - kept.keys()) if sounds else {}
    if missing := [cell for cell in cells if cell.text is None and not {cell.sha256} & (kept.keys() | found.keys())]:
        raise _sounds_missing(missing)
    free = free_slug(slug, among=Collection.objects.all(), otherwise="collection")
    collection = create_collection(owner=owner, slug=free, title=title)
    heard = [cell for cell in cells if cell.text is None]
    if heard:
        with TemporaryDirectory(prefix="earmark-sounds-") as folder:
            _stage(Path(folder), heard, kept, found)
            _import(Path(folder), collection, owner)
    for cell in cells:
        if cell.text is not None:
            add_text(
                collection=collection,
                item=cell.item,
                condition=cell.condition,
                text=cell.text,
                role=Condition.Role(cell.role),
            )
    _describe(collection, cells)
    return collection


def _sounds_missing(missing: Sequence[Cell]) -> AppError:
    named = (f"{' x '.join(cell.place)} (SHA-256 {cell.sha256})" for cell in missing)
    return AppError(
        "dataset.sounds_missing",
        409,
        _(
            "{count} sounds of the dataset are neither on this server nor in the folder given by --sounds: {sounds}. "
            "Give a folder that holds the files as they were imported."
        ),
        count=len(missing),
        sounds=some(named, most=10),
        rows=[f"{cell.sha256}  {' x '.join(cell.place)}" for cell in missing],
    )


def _in_folder(folder: Path, wanted: set[str]) -> dict[str, Path]:
    """The files below a folder that have one of these hashes, whatever they are called."""
    found: dict[str, Path] = {}
    for place in sorted(folder.rglob("*")):
        if wanted <= found.keys():
            break
        if place.is_file():
            with place.open("rb") as file:
                sha256 = hashlib.file_digest(file, "sha256").hexdigest()
            if sha256 in wanted:
                found[sha256] = place
    return found


def _stage(folder: Path, cells: Iterable[Cell], kept: Mapping[str, Recording], found: Mapping[str, Path]) -> None:
    """A folder with each sound under its hash, and the table that says which stimulus it is."""
    lines = []
    for cell in cells:
        origin = kept[cell.sha256].file.name if cell.sha256 in kept else found[cell.sha256].name
        name = f"{cell.sha256}{Path(str(origin)).suffix.lower()}"
        lines.append((name, cell.item, cell.condition, cell.role))
        if (folder / name).exists():
            continue
        if cell.sha256 in kept:
            with storage.local_file(str(origin)) as source, (folder / name).open("wb") as target:
                shutil.copyfileobj(source, target)
        else:
            (folder / name).symlink_to(found[cell.sha256].resolve())
    with (folder / "manifest.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("path", "item", "condition", "role"))
        writer.writerows(lines)


def _import(folder: Path, collection: Collection, owner: User) -> None:
    def silent(_done: int, _total: int, _note: str) -> None:
        """Nobody watches."""

    with drafted_folder(folder=folder, layout=MANIFEST, progress=silent) as drafted:
        import_draft(drafted=drafted, collection=collection, actor=owner, progress=silent)


def _describe(collection: Collection, cells: Sequence[Cell]) -> None:
    """Give items and conditions their factors, and leave out what was left out."""
    by_item, by_condition = {cell.item: cell for cell in cells}, {cell.condition: cell for cell in cells}
    items, conditions = list(collection.items.all()), list(collection.conditions.all())
    for item in items:
        cell = by_item[item.name]
        item.factors, item.excluded_reason = dict(cell.factors), cell.left_out
        item.excluded_at = timezone.now() if cell.left_out else None
    for condition in conditions:
        condition.factors = dict(by_condition[condition.name].condition_factors)
    Item.objects.bulk_update(items, ["factors", "excluded_reason", "excluded_at"], batch_size=500)
    Condition.objects.bulk_update(conditions, ["factors"], batch_size=500)
