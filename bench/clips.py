"""Import of 1,100 clips, measured, normalised and checked, against a loop of soundfile and pyloudnorm over them."""

import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import soundfile

from audio.sandbox.client import start_fork_server
from bench.material import clips
from core.models import User
from core.services.accounts import create_account, random_password
from stimuli.models import Collection
from stimuli.services.imports import drafted_folder, import_draft
from stimuli.services.normalisation import normalise_collection
from stimuli.services.quality_checks import check_collection

ITEMS, CONDITIONS, TARGET_LUFS, ROUNDS = 220, 5, -30.0, 3


def run() -> Iterator[str]:
    start_fork_server()
    owner = create_account(name="clips", role=User.Role.EXPERIMENTER, password=random_password(), actor=None)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "clips"
        paths = clips(folder, items=ITEMS, conditions=CONDITIONS)
        pairs = [(_loop_s(paths, Path(scratch)), ours_s(folder, owner, str(number))) for number in range(ROUNDS)]
    ratios = [loop_s / import_s for loop_s, import_s in pairs]
    loop_s, import_s = (median(column) for column in zip(*pairs, strict=True))
    yield (
        f"{len(paths)} clips: {import_s:.1f} s against {loop_s:.1f} s of soundfile and pyloudnorm, "
        f"{median(ratios):.1f} times faster ({min(ratios):.1f} to {max(ratios):.1f}; aim 5)"
    )


def _loop_s(paths: list[Path], scratch: Path) -> float:
    import pyloudnorm

    target = scratch / "normalised.wav"
    started = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about clips that would be clipped
        for path in paths:
            samples, rate = soundfile.read(path)
            loudness = pyloudnorm.Meter(rate).integrated_loudness(samples)
            soundfile.write(target, pyloudnorm.normalize.loudness(samples, loudness, TARGET_LUFS), rate)
    return time.perf_counter() - started


def ours_s(folder: Path, owner: User, name: str) -> float:
    started = time.perf_counter()
    collection = Collection(slug=f"clips-{name}", title="Clips", owner=owner)
    with drafted_folder(folder=folder, progress=_silently) as drafted:
        import_draft(drafted=drafted, collection=collection, actor=owner, is_new=True, progress=_silently)
    made = normalise_collection(
        source=collection, target_lufs=TARGET_LUFS, slug=f"normalised-{name}", title="Normalised", actor=owner
    )
    checked = check_collection(collection=made)
    took_s = time.perf_counter() - started
    if checked["stimuli"] != ITEMS * CONDITIONS:
        raise RuntimeError("not every clip came in: there is nothing to measure")
    return took_s


def _silently(done: int, total: int, note: str) -> None:
    """Nobody watches."""
