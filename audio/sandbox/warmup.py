"""Warm-up of the decoders with a short sound in every format, before children are confined."""

import gc
import io
from collections.abc import Iterator
from typing import Any, cast

import av
import numpy as np
import soundfile
from numba import njit
from numba.core.caching import NullCache
from numba.core.dispatcher import Dispatcher

from audio.formats import Samples

RATE_HZ = 48_000
LENGTH_SAMPLES = 24_000  # longer than the 400 ms of a momentary loudness
_WRITTEN = [("WAV", "PCM_16"), ("W64", "PCM_24"), ("FLAC", "PCM_16"), ("AIFF", "PCM_16"), ("MP3", "MPEG_LAYER_III")]
_WRITTEN += [("OGG", "OPUS"), ("OGG", "VORBIS")]


def short_sounds() -> Iterator[io.BytesIO]:
    """Yield a file of each format, short enough to cost nothing, and an MP3 with something between its frames."""
    tone = 0.1 * np.sin(np.arange(LENGTH_SAMPLES, dtype=np.float32) * 0.05)
    samples = np.repeat(tone[:, None], 2, axis=1).astype(np.float32)
    for container, coding in _WRITTEN:
        content = io.BytesIO()
        soundfile.write(content, samples, RATE_HZ, format=container, subtype=coding)
        content.seek(0)
        yield content
        if container == "MP3":
            whole = content.getvalue()
            frame = whole.index(b"\xff\xfb", 1000)
            yield io.BytesIO(whole[:frame] + bytes(500) + whole[frame:])
    yield encode_mp4(samples, RATE_HZ)


def encode_mp4(samples: Samples, rate_hz: int, codec: str = "aac") -> io.BytesIO:
    """Encode with libav, which alone writes MP4."""
    content = io.BytesIO()
    with av.open(content, mode="w", format="ipod") as container:
        layout = {1: "mono", 2: "stereo"}[samples.shape[1]]
        stream = cast(av.AudioStream, container.add_stream(codec, rate=rate_hz, layout=layout))
        frame = av.AudioFrame.from_ndarray(np.ascontiguousarray(samples.T), format="fltp", layout=layout)
        frame.sample_rate, frame.pts = rate_hz, 0
        for packet in [*stream.encode(frame), *stream.encode(None)]:
            container.mux(packet)
    content.seek(0)
    return content


def stop_caching_kernels() -> None:
    """Have kernels that were not called yet compiled in memory from now on: a confined child cannot read the cache."""
    first: Any = njit(lambda values: values[0])
    first(np.zeros(1, np.float32))  # Loads the compiler.
    kernels: list[Any] = [thing for thing in gc.get_objects() if issubclass(type(thing), Dispatcher)]
    for kernel in kernels:
        kernel._cache = NullCache()  # noqa: SLF001 - numba has no other way
