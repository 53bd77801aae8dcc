"""Measures of a recording, and the partial results of its segments that they are merged from."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from audio.loudness import WINDOWS_PER_S, Energies, integrated_lufs, loudness_range_lu

SNR_BLOCKS = 10  # the fewest for an estimate: 1 s
SNR_SHARE = 0.1  # of the blocks, the quietest and the loudest, that stand for noise and for the height of the signal
LEAST_SNR_DB = 3.0  # between those two; below, there are no pauses to hear the noise in
SILENT = 1e-7  # about -70 LUFS: pauses below it hold no noise that could be measured


@dataclass(frozen=True)
class Measures:
    """What was measured on a whole recording. None where there is nothing to measure, as in silence."""

    integrated_lufs: float | None  # ITU-R BS.1770-4, gated
    loudness_range_lu: float | None  # EBU Tech 3342; None below 3 s of sound
    true_peak_dbtp: float | None  # BS.1770-4 annex 2
    sample_peak_dbfs: float | None
    dc_offset: float  # mean of the worst channel, as a fraction of full scale
    clipped_samples: int  # samples in runs of three or more at full scale
    leading_silence_s: float
    trailing_silence_s: float
    longest_silence_s: float
    snr_estimate_db: float | None = None  # None where there is no pause with noise in it

    def to_json(self) -> dict[str, Any]:
        return vars(self).copy()

    @classmethod
    def from_json(cls, facts: dict[str, Any]) -> Self:
        return cls(**facts)


@dataclass(frozen=True)
class PartialResult:
    """What a segment of a recording adds to the measures of the whole."""

    length_samples: int
    blocks: Energies  # K-weighted mean energy of each whole 100 ms
    quiet: NDArray[np.bool_]  # whether each 10 ms are silent
    sums: NDArray[np.float64]  # of each channel's samples
    sample_peak: float  # full scale is 1
    true_peak: float
    clipped_samples: int
    loudest_momentary: float  # mean energy of the loudest 400 ms that end here

    def to_parts(self) -> tuple[dict[str, Any], dict[str, bytes]]:
        """Take it apart into what JSON can say, to the last bit, and raw bytes."""
        facts = {one.name: getattr(self, one.name) for one in fields(self) if one.name not in {"blocks", "quiet"}}
        facts |= {"sums": self.sums.tolist(), "windows": len(self.quiet)}
        return facts, {"blocks": self.blocks.astype("<f8").tobytes(), "quiet": np.packbits(self.quiet).tobytes()}

    @classmethod
    def from_parts(cls, facts: dict[str, Any], blobs: Mapping[str, bytes]) -> Self:
        scalars = {name: value for name, value in facts.items() if name not in {"sums", "windows"}}
        quiet = np.unpackbits(np.frombuffer(blobs["quiet"], np.uint8), count=facts["windows"])
        return cls(
            **scalars,
            sums=np.array(facts["sums"]),
            blocks=np.frombuffer(blobs["blocks"], "<f8").astype(np.float64),
            quiet=quiet.astype(np.bool_),
        )


def merge_results(results: Iterable[PartialResult], sample_rate_hz: int) -> Measures:
    """Join the segments of a recording, in their order."""
    parts = list(results)
    blocks = np.concatenate([part.blocks for part in parts])
    length = sum(part.length_samples for part in parts)
    offsets = np.sum([part.sums for part in parts], axis=0) / max(length, 1)
    leading, trailing, longest = find_silences_s((part.quiet for part in parts), length / sample_rate_hz)
    return Measures(
        integrated_lufs=integrated_lufs(blocks),
        loudness_range_lu=loudness_range_lu(blocks),
        true_peak_dbtp=to_decibels(max(part.true_peak for part in parts)),
        sample_peak_dbfs=to_decibels(max(part.sample_peak for part in parts)),
        dc_offset=float(offsets[np.argmax(np.abs(offsets))]),
        clipped_samples=sum(part.clipped_samples for part in parts),
        leading_silence_s=leading,
        trailing_silence_s=trailing,
        longest_silence_s=longest,
        snr_estimate_db=estimate_snr_db(blocks),
    )


def find_silences_s(parts: Iterable[NDArray[np.bool_]], duration_s: float) -> tuple[float, float, float]:
    """Return how long it is silent at the start, at the end, and for the longest time anywhere."""
    windows, last_loud, leading, longest = 0, -1, None, 0
    for quiet in parts:
        loud = np.flatnonzero(~quiet) + windows
        windows += len(quiet)
        if len(loud):
            leading = int(loud[0]) if leading is None else leading
            longest = max(longest, int(np.diff(loud, prepend=last_loud).max()) - 1)
            last_loud = int(loud[-1])
    if leading is None:
        return duration_s, duration_s, duration_s
    trailing_s = max(duration_s - (last_loud + 1) / WINDOWS_PER_S, 0.0)
    return leading / WINDOWS_PER_S, trailing_s, max(longest / WINDOWS_PER_S, trailing_s)


def to_decibels(magnitude: float) -> float | None:
    return 20 * math.log10(magnitude) if magnitude > 0 else None


def estimate_snr_db(blocks: Energies) -> float | None:
    """Estimate the ratio from the energy of each 100 ms; None without pauses, and where pauses are silent."""
    if len(blocks) < SNR_BLOCKS:
        return None
    ordered = np.sort(blocks)
    count = max(round(SNR_SHARE * len(ordered)), 1)
    noise, top = float(ordered[:count].mean()), float(ordered[-count:].mean())
    if noise < SILENT or 10 * math.log10(top / noise) < LEAST_SNR_DB:
        return None
    active = float(ordered[ordered >= math.sqrt(noise * top)].mean())
    return 10 * math.log10((active - noise) / noise)
