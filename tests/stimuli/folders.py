"""Folders of sound as the studies hand them over, small and made of noise."""

import io
from pathlib import Path

import numpy as np
import soundfile
from numpy.typing import NDArray

RATE = 16000


def noise(seconds: float, *, seed: int = 0, level: float = 0.1, rate: int = RATE) -> NDArray[np.float64]:
    rng = np.random.default_rng(seed)
    return rng.uniform(-level, level, round(seconds * rate))


def write(place: Path, sound: NDArray[np.float64], *, rate: int = RATE, subtype: str = "PCM_16") -> Path:
    place.parent.mkdir(parents=True, exist_ok=True)
    soundfile.write(place, sound, rate, subtype=subtype)
    return place


def conditions_folder(root: Path, *, items: int = 3, conditions: int = 2, seconds: float = 0.5) -> Path:
    """C0, C1, ... with equal file names, and references with names of their own."""
    for condition in range(conditions):
        for item in range(items):
            sound = noise(seconds + 0.01 * item, seed=10 * condition + item, level=0.05 * (condition + 1))
            write(root / "data" / f"C{condition}" / f"S0{item}_P01.wav", sound)
    write(root / "data" / "ref" / "i01_f1.wav", noise(seconds, seed=99))
    return root


def metadata(root: Path, *, items: int = 3) -> Path:
    lines = [",wavfile,sex,session,location"]
    lines += [f"{7 * n},S0{n}_P01.wav,{'FM'[n % 2]},S0{n % 2},kitchen" for n in range(items)]
    place = root / "samples_all.csv"
    place.write_text("\n".join(lines) + "\n")
    return place


def wav(sound: NDArray[np.float64], *, rate: int = RATE, subtype: str = "PCM_16") -> bytes:
    target = io.BytesIO()
    soundfile.write(target, sound, rate, format="WAV", subtype=subtype)
    return target.getvalue()
