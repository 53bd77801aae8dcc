"""Probing of many audio files at once: SHA-256, shape and measures, decoded once in the sandbox."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Self

from audio.sandbox.batching import even_batches
from audio.sandbox.client import Limits, start_fork_server
from audio.wav import HEAD_LENGTH, is_plain
from core.errors import AppError
from stimuli.sandbox import SandboxFailure, error_from_child, examine_files, run_sandboxed

MOST_FILES_PER_CHILD = 200  # a fork costs as much as thirty clips
PIECE_BYTES = 2**20
LONG = Limits(cpu_s=300, wall_s=900, memory_bytes=1024 * 2**20)


@dataclass(frozen=True)
class Rules:
    """Limits of this installation for imports."""

    longest_h: float
    short_s: float
    unpacked_bytes: int  # what all archives of an import may hold together
    workers: int = 2  # sandboxed children at a time


@dataclass(frozen=True)
class ProbedFile:
    """Probed file: path, digest, shape and measures of a future recording."""

    place: str
    sha256: str
    byte_count: int
    shape: dict[str, Any]
    measures: dict[str, Any] | None  # of a long one they come with its ingest, and so does the outline
    is_short: bool
    is_plain: bool = False  # it is in the form in which clips are served already
    index: str = ""  # where the frame index of a long one lies
    origin_bits: int = 0  # of what it was made from by a change of level
    outline: str = ""

    @property
    def duration_s(self) -> float:
        return float(self.shape["length_samples"] / self.shape["sample_rate_hz"])


RESULTS = "results.json"


@dataclass
class ProbeResults:
    """Results of probes by SHA-256, kept in a folder between two checks of the same files."""

    folder: Path
    by_digest: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def load(cls, folder: Path, rules: Rules) -> Self:
        """What an earlier check left, if it went by the same limits."""
        folder.mkdir(parents=True, exist_ok=True)
        try:
            stored = json.loads((folder / RESULTS).read_bytes())
        except (OSError, ValueError):
            return cls(folder)
        return cls(folder, stored["by_digest"] if stored["limits"] == _limits(rules) else {})

    def save(self, rules: Rules) -> None:
        scratch = self.folder / f"{RESULTS}.new"
        scratch.write_text(json.dumps({"limits": _limits(rules), "by_digest": self.by_digest}), encoding="utf-8")
        scratch.replace(self.folder / RESULTS)


def _limits(rules: Rules) -> dict[str, float]:
    return {"longest_h": rules.longest_h, "short_s": rules.short_s}


def probe_files(
    places: Mapping[str, Path],
    *,
    known: MutableMapping[str, str],
    results: ProbeResults,
    rules: Rules,
    progress: Callable[[int, int, str], None],
) -> dict[str, ProbedFile | AppError]:
    """Probe each file of which there is no result yet; equal files are decoded once.

    `known` are digests that were computed before, and takes up the others. A file that cannot be read has no result,
    and is probed again next time: the reason may have been the machine.
    """
    start_fork_server()  # while the digests are made
    with ThreadPoolExecutor(rules.workers) as pool:
        digests = dict(
            zip(places, pool.map(lambda name: known.get(name) or sha256_of(places[name]), places), strict=True)
        )
        known.update(digests)
        # The digest is made here and not in the child: it names the file for everybody, and a decoder could be fooled.
        unique = {digest: name for name, digest in digests.items() if digest not in results.by_digest}
        batches = even_batches(
            list(unique.items()), size=lambda _: 1, max_size=MOST_FILES_PER_CHILD, children=rules.workers
        )
        found: dict[str, Any] = {}
        for examined in pool.map(lambda batch: _examined(batch, places, rules), batches):
            found |= examined
            progress(len(found), len(unique), "")
        longs = [digest for digest, verdict in found.items() if isinstance(verdict, dict) and not verdict["is_short"]]
        probed = pool.map(lambda digest: _probed(digest, places[unique[digest]], unique[digest], results, rules), longs)
        found |= dict(zip(longs, probed, strict=True))
    results.by_digest |= {digest: verdict for digest, verdict in found.items() if not isinstance(verdict, AppError)}
    found |= results.by_digest
    return {name: _probed_file(name, places[name], digest, found[digest]) for name, digest in digests.items()}


def sha256_of(place: Path) -> str:
    digest = hashlib.sha256()
    with place.open("rb", buffering=0) as file:
        while piece := file.read(PIECE_BYTES):
            digest.update(piece)
    return digest.hexdigest()


def _examined(batch: Sequence[tuple[str, str]], places: Mapping[str, Path], rules: Rules) -> dict[str, Any]:
    with ExitStack() as stack:
        files = [stack.enter_context(places[name].open("rb", buffering=0)) for _, name in batch]
        names = [name for _, name in batch]
        verdicts = _verdicts(files, names, rules)
    return {digest: verdict for (digest, _), verdict in zip(batch, verdicts, strict=True)}


def _verdicts(files: Sequence[BinaryIO], names: Sequence[str], rules: Rules) -> Sequence[dict[str, Any] | AppError]:
    """Probe a batch in one process; if the process ends over one file, probe each file in a process of its own."""
    limits: dict[str, Any] = {**_limits(rules)}
    try:
        found = run_sandboxed(
            "audio.clips:examine_plain_clips", *files, name=names[0], names=list(names), **limits
        ).facts["clips"]
    except SandboxFailure:
        return examine_files(files, names, **limits)
    return [
        error_from_child(one["error"], name=name) if "error" in one else one
        for one, name in zip(found, names, strict=True)
    ]


def _probed(digest: str, place: Path, name: str, results: ProbeResults, rules: Rules) -> dict[str, Any] | AppError:
    """Probe a long file: only its headers and its seek index, which the ingest needs."""
    try:
        with place.open("rb") as file:
            outcome = run_sandboxed(
                "audio.validate:probe_file",
                file,
                name=name,
                limits=LONG,
                longest_h=rules.longest_h,
                short_s=rules.short_s,
            )
    except AppError as error:
        return error
    index = outcome.blobs.get("index", b"")
    kept = results.folder / f"index-{digest}"
    if index:
        kept.write_bytes(index)
    return {**outcome.facts, "measures": None, "index": str(kept) if index else ""}


def _probed_file(name: str, place: Path, digest: str, verdict: Any) -> ProbedFile | AppError:
    if isinstance(verdict, AppError):
        # The file that was probed may have another name.
        return AppError(verdict.code, verdict.status, verdict.message, **verdict.data | {"name": name})
    byte_count, shape = place.stat().st_size, verdict["shape"]
    with place.open("rb") as file:
        plain = is_plain(file.read(HEAD_LENGTH), byte_count, bits=shape["bits"])
    return ProbedFile(
        place=str(place),
        sha256=digest,
        byte_count=byte_count,
        shape=shape,
        measures=verdict["measures"],
        is_short=verdict["is_short"],
        is_plain=plain,
        index=verdict.get("index", ""),
        outline=verdict.get("outline", ""),
    )
