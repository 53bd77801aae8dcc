"""Tests from elsewhere: read from a zip, a folder or single files, their sounds imported, drafts created for them."""

import csv
import hashlib
import io
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import IO, BinaryIO, cast

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_noop as _

from core.errors import AppError
from core.i18n import LazyMessage, pack_messages
from core.models import User
from core.services import audit
from listening.elsewhere.base import Converted, FoundSound, Part, Sounds, unreadable
from listening.elsewhere.p808 import is_p808, read_p808
from listening.elsewhere.webmushra import is_webmushra, read_webmushra
from listening.experiment_file.yaml_text import MOST_BYTES, load_yaml
from listening.panels.services.session_settings import change_session_settings
from rating.models import Experiment
from rating.registry import protocols
from rating.services.attention import change_checks
from rating.services.experiments import create_experiment, usual_label_set
from rating.services.texts import standard_consent
from stimuli import storage
from stimuli.imports.archives import Entry, open_archive, stream
from stimuli.imports.layouts import MANIFEST
from stimuli.imports.sources import is_litter, suffix_of
from stimuli.imports.tables import read_csv
from stimuli.models import Collection, Import, Stimulus
from stimuli.services.collection_editing import delete_collection
from stimuli.services.collections import open_collection
from stimuli.services.imports import begin_import, drafted_folder, import_draft, submit_import
from stimuli.services.uploads import Incoming, receive
from stimuli.uploads import files as upload_files
from stimuli.uploads.manifest import DeclaredFile

YAML, CSV, CFG = {".yaml", ".yml"}, {".csv", ".tsv"}, {".cfg"}
MOST_TEXT_BYTES = 4 * MOST_BYTES
LONGEST_TITLE = 180
MANIFEST_NAME = "manifest.csv"

Opener = Callable[[], AbstractContextManager[BinaryIO]]


@dataclass
class Material:
    """What came along: small files that say what the test is, and sounds."""

    name: str  # of the zip, the folder or the file
    texts: dict[str, bytes] = field(default_factory=dict)
    sounds: list[FoundSound] = field(default_factory=list)
    text_bytes: int = 0

    def add(self, path: str, byte_count: int, opener: Opener) -> None:
        if is_litter(path):
            return
        if suffix_of(path) not in YAML | CSV | CFG:
            self.sounds.append(FoundSound(path, byte_count, opener))
            return
        self.text_bytes += byte_count
        if self.text_bytes > MOST_TEXT_BYTES:
            raise unreadable(path, LazyMessage("the configurations and tables are larger than any test needs"))
        with opener() as file:
            self.texts[path] = file.read(byte_count)


def material_from(file: IO[bytes], *, name: str) -> Material:
    """The content of a zip, or a single configuration or table. The file stays open as long as sounds are read."""
    found = Material(name)
    if not zipfile.is_zipfile(file):
        file.seek(0)
        content = file.read(MOST_BYTES + 1)
        found.texts[name] = content
        return found
    for entry in open_archive(cast(BinaryIO, file), name=name, most_bytes=upload_files.free_bytes()):
        found.add(entry.path, entry.byte_count, partial(_unpacked, entry))
    return found


def material_in(folder: Path) -> Material:
    """The content of a folder on this machine."""
    found = Material(folder.resolve().name)
    for place in sorted(folder.rglob("*")):
        if place.is_file():
            found.add(place.relative_to(folder).as_posix(), place.stat().st_size, partial(_opened_file, place))
    return found


def imported_paths(collection: Collection) -> dict[tuple[str, str], str]:
    """By item and condition, the path that a whole file was imported from; parts of files have none."""
    paths: dict[tuple[str, str], str] = {}
    for plan in (
        collection.imports.filter(state=Import.State.DONE).order_by("created_at").values_list("plan", flat=True)
    ):
        for cell in plan.get("stimuli", []):
            if cell.get("start") is None and cell.get("clip") is None:
                paths[cell["item"], cell["condition"]] = cell["path"]
    return paths


def sounds_of(collection: Collection) -> list[FoundSound]:
    """The sounds of a collection under the paths that they were imported from, or under condition and item."""
    paths = imported_paths(collection)
    rows = Stimulus.objects.filter(item__collection=collection)
    found = []
    for stimulus in rows.select_related("item", "condition", "recording"):
        cell, recording = (stimulus.item.name, stimulus.condition.name), stimulus.recording
        if recording is None:
            continue
        path = paths.get(cell) or f"{cell[1]}/{cell[0]}.{recording.format}"
        found.append(FoundSound(path, recording.byte_count, partial(storage.local_file, str(recording.file.name))))
    return found


def _opened_file(place: Path) -> BinaryIO:
    return place.open("rb")


@contextmanager
def _unpacked(entry: Entry) -> Iterator[BinaryIO]:
    with tempfile.TemporaryFile() as file:
        file.writelines(stream(entry))
        file.seek(0)
        yield cast(BinaryIO, file)


# --- Reading ----------------------------------------------------------------------------------------------------------


def read_elsewhere(material: Material, *, collection: Collection | None = None, protocol: str = "") -> Converted:
    """Find out which program the test was made for, and read it."""
    sounds = Sounds(sounds_of(collection) if collection else material.sounds)
    configs = {name: text for name, text in material.texts.items() if suffix_of(name) in YAML}
    configs = {name: text for name, text in configs.items() if len(configs) == 1 or is_webmushra(load_yaml(text))}
    if len(configs) > 1:
        raise unreadable(
            ", ".join(sorted(configs)), LazyMessage("there are several configurations; keep the one to be read")
        )
    if configs:
        [(name, content)] = configs.items()
        languages = [code for code, _name in settings.LANGUAGES]
        known = list(protocols().values())
        found = read_webmushra(content, name=name, sounds=sounds, protocols=known, languages=languages)
    else:
        found = _read_tables(material, sounds, protocol=protocol)
    found.parts = [part for part in found.parts if part.placed]
    if not found.parts:
        first = found.dropped[0] if found.dropped else LazyMessage("it has no pages")
        raise AppError(
            "experiment_file.nothing_carried_over",
            422,
            _("Nothing of this test can be carried over. Reasons: {count}. The first: {first}."),
            first=first,
            count=len(found.dropped),
            rows=[str(one) for one in found.dropped],
        )
    return found


def _read_tables(material: Material, sounds: Sounds, *, protocol: str) -> Converted:
    tables = [read_csv(text, name=name) for name, text in material.texts.items() if suffix_of(name) in CSV]
    tables = [table for table in tables if is_p808(table)]
    if not tables:
        raise AppError(
            "experiment_file.elsewhere_unknown",
            422,
            _(
                "There is neither a configuration of webMUSHRA (YAML with a list of pages) nor an input table of the "
                "P.808 toolkit (CSV with a column rating_clips)."
            ),
        )
    return read_p808(
        tables,
        title=Path(material.name).stem,
        settings={name: text for name, text in material.texts.items() if suffix_of(name) in CFG},
        sounds=sounds,
        protocols=list(protocols().values()),
        chosen=protocol,
    )


# --- Creating ---------------------------------------------------------------------------------------------------------


def create_from_elsewhere(*, found: Converted, owner: User, file_name: str, at_once: bool = False) -> list[Experiment]:
    """Create a draft and a collection for each part, all of them or none.

    Sounds are checked in the background, and the overview then asks about them; or they are imported at once.
    """
    filled: list[Collection] = []
    try:
        for part in found.parts:
            filled.append(open_collection(owner=owner, title=_title(found, part)))
            _fill(part, filled[-1], owner, at_once=at_once)
        with transaction.atomic():
            return [
                _create(found, part, collection, owner, file_name)
                for part, collection in zip(found.parts, filled, strict=True)
            ]
    except BaseException:
        for collection in filled:
            delete_collection(collection=collection, typed=collection.slug, actor=owner)
        raise


def _title(found: Converted, part: Part) -> str:
    title = found.title[:LONGEST_TITLE]
    return f"{title[: LONGEST_TITLE // 2]} ({part.protocol.title})" if len(found.parts) > 1 else title


def _create(found: Converted, part: Part, collection: Collection, owner: User, file_name: str) -> Experiment:
    language = found.language or settings.LANGUAGE_CODE
    experiment = create_experiment(
        owner=owner,
        title=_title(found, part),
        collection=collection,
        protocol_slug=part.protocol.slug,
        label_set=part.label_set or usual_label_set(part.protocol, language),
        language=language,
        options=part.options,
        questions=found.questions,
        consent_text=found.texts.get("consent") or standard_consent(language),
        instructions=found.texts.get("instructions", ""),
        debrief=found.texts.get("debrief", ""),
    )
    change_session_settings(experiment=experiment, actor=owner, **found.session)
    if part.expected:
        experiment = change_checks(
            experiment=experiment, repeats=0, expected=part.expected, actor=owner, to_come=set(part.expected)
        )
    experiment.origin = {
        "program": found.source,
        "file": file_name[-200:],
        "changed": [pack_messages({"said": one}) for one in found.changed],
        "dropped": [pack_messages({"said": one}) for one in found.dropped],
    }
    experiment.save(update_fields=["origin"])
    audit.record(
        actor=owner,
        action="experiment.carried_over",
        target=f"experiment/{experiment.slug}",
        after={"program": found.source, "file": file_name[-200:], "dropped": len(found.dropped)},
    )
    return experiment


def _fill(part: Part, collection: Collection, owner: User, *, at_once: bool) -> None:
    """Bring the sounds of a part in, each into its cell, by a manifest."""
    sounds = {one.sound.path: one.sound for one in part.placed}
    manifest = _manifest(part)
    if at_once:
        with upload_files.scratch_folder() as folder:
            _write_folder(folder, sounds, manifest)
            with drafted_folder(folder=folder, layout=MANIFEST, progress=_silently) as drafted:
                import_draft(drafted=drafted, collection=collection, actor=owner, progress=_silently)
        return
    declared = [DeclaredFile(path, sound.byte_count) for path, sound in sounds.items()]
    declared.append(DeclaredFile(MANIFEST_NAME, len(manifest)))
    now = timezone.now()
    import_ = begin_import(collection=collection, owner=owner, files=declared, layout=MANIFEST, now=now)
    digests = {}
    for upload in import_.files.all():
        with _opened(sounds, upload.path, manifest) as stream:
            hashed = _Hashed(stream)
            receive(upload=upload, incoming=Incoming(0, upload.byte_count, hashed), now=now)
        digests[upload.path] = hashed.digest.hexdigest()
    submit_import(import_=import_, digests=digests, actor=owner, now=now)


def _manifest(part: Part) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["path", "item", "condition", "role"])
    writer.writerows([one.sound.path, one.item, one.condition, one.role] for one in part.placed)
    return text.getvalue().encode()


def _opened(sounds: Mapping[str, FoundSound], path: str, manifest: bytes) -> AbstractContextManager[BinaryIO]:
    return io.BytesIO(manifest) if path == MANIFEST_NAME else sounds[path].open()


def _write_folder(folder: Path, sounds: Mapping[str, FoundSound], manifest: bytes) -> None:
    (folder / MANIFEST_NAME).write_bytes(manifest)
    for path, sound in sounds.items():
        target = folder / path
        if not target.resolve().is_relative_to(folder.resolve()):
            raise unreadable(path, LazyMessage("its path leads out of the folder"))
        target.parent.mkdir(parents=True, exist_ok=True)
        with sound.open() as source, target.open("wb") as file:
            shutil.copyfileobj(source, file)


class _Hashed:
    """A stream that is hashed while it is read."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream, self.digest = stream, hashlib.sha256()

    def read(self, size: int, /) -> bytes:
        data = self._stream.read(size)
        self.digest.update(data)
        return data


def _silently(done: int, total: int, note: str) -> None:
    """Nobody watches."""


def listed(found: Converted) -> Sequence[str]:
    """What changed and what is not carried over, one line each, for a terminal."""
    lines = [f"changed           {one}" for one in found.changed]
    return lines + [f"not carried over  {one}" for one in found.dropped]
