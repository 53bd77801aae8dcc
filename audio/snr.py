"""Signal-to-noise ratio, estimated from the levels of a sound and of the pauses in it."""

import math

import numpy as np

from audio.loudness import Energies

FEWEST_BLOCKS = 10  # 1 s
SHARE = 0.1  # of the blocks, the quietest and the loudest, that stand for noise and for the height of the signal
LEAST_DB = 3.0  # between those two; below, there are no pauses to hear the noise in
SILENT = 1e-7  # about -70 LUFS: pauses below it hold no noise that could be measured


def estimate_snr_db(blocks: Energies) -> float | None:
    """Estimate the ratio from the energy of each 100 ms; None without pauses, and where pauses are silent."""
    if len(blocks) < FEWEST_BLOCKS:
        return None
    ordered = np.sort(blocks)
    count = max(round(SHARE * len(ordered)), 1)
    noise, top = float(ordered[:count].mean()), float(ordered[-count:].mean())
    if noise < SILENT or 10 * math.log10(top / noise) < LEAST_DB:
        return None
    active = float(ordered[ordered >= math.sqrt(noise * top)].mean())
    return 10 * math.log10((active - noise) / noise)
