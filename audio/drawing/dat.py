"""Files of peaks, as BBC audiowaveform writes them."""

import struct

import numpy as np
from numpy.typing import NDArray

Peaks = NDArray[np.int8]  # one row a bin: lowest, highest; -128 is negative full scale
# Data format version 2: version, flags (1: bytes), rate, samples per bin, bins, channels.
DAT_HEADER = struct.Struct("<iIiiIi")
DAT_VERSION, DAT_BYTES = 2, 1


def dat_header(*, sample_rate_hz: int, bin_samples: int, bins: int) -> bytes:
    """Begin a file that audiowaveform, peaks.js, waveform-data.js and wavesurfer.js can read; the bins follow."""
    return DAT_HEADER.pack(DAT_VERSION, DAT_BYTES, sample_rate_hz, bin_samples, bins, 1)
