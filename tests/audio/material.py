"""Sound to test with: markers at known samples, noise, and every format written without any program but our own."""

import io
from collections.abc import Sequence
from typing import Any

import av
import numpy as np
import soundfile
from numpy.typing import NDArray

from audio.decode.mp3 import frame_bytes
from audio.decode.open import Sound, open_sound
from audio.formats import Samples, recognise_format

MARKER_S = 0.03
LOSSLESS = {
    "wav": ("WAV", "PCM_16"),
    "wav24": ("WAV", "PCM_24"),
    "wav32": ("WAV", "PCM_32"),
    "wav8": ("WAV", "PCM_U8"),
    "float": ("WAV", "FLOAT"),
    "double": ("WAV", "DOUBLE"),
    "wavex": ("WAVEX", "PCM_16"),
    "rf64": ("RF64", "PCM_16"),
    "w64": ("W64", "PCM_16"),
    "aiff": ("AIFF", "PCM_16"),
    "aiff24": ("AIFF", "PCM_24"),
    "flac": ("FLAC", "PCM_16"),
    "flac24": ("FLAC", "PCM_24"),
}
# What libav writes: container and encoder.
PACKED = {
    "mp3": ("mp3", "libmp3lame"),
    "opus": ("ogg", "libopus"),
    "m4a": ("ipod", "aac"),
    "alac": ("ipod", "alac"),
}

EVERY_KIND = [*LOSSLESS, *PACKED, "vorbis"]


def rate_for(kind: str) -> int:
    """A common rate that this kind has."""
    return 48000 if kind == "opus" else 44100


def opened(content: bytes) -> Sound:
    recognised = recognise_format(content[:4096])
    assert recognised is not None
    return open_sound(io.BytesIO(content), format=recognised, name="sound")


def noise(length: int, *, channels: int = 1, level: float = 0.05, seed: int = 1) -> Samples:
    """White noise, the same for the same seed."""
    rng = np.random.default_rng(seed)
    return (level * rng.standard_normal((length, channels))).astype(np.float32)


def tone(length: int, rate: int, *, frequency_hz: float = 1000.0, level: float = 0.5, channels: int = 1) -> Samples:
    wave = level * np.sin(2 * np.pi * frequency_hz * np.arange(length) / rate)
    return np.repeat(wave.astype(np.float32)[:, None], channels, axis=1)


def marker(rate: int) -> NDArray[np.float32]:
    """A rising chirp with soft ends: every codec keeps it, and it is like itself at no other position."""
    length = round(MARKER_S * rate)
    time_s = np.arange(length) / rate
    low_hz, high_hz = 300.0, min(6000.0, 0.35 * rate)
    phase = 2 * np.pi * (low_hz * time_s + (high_hz - low_hz) / (2 * MARKER_S) * time_s**2)
    return (0.6 * np.hanning(length) * np.sin(phase)).astype(np.float32)


def planted(length: int, rate: int, positions: Sequence[int], *, channels: int = 1, level: float = 0.01) -> Samples:
    """Noise with a marker that begins at each of these samples, in every channel."""
    samples = noise(length, channels=channels, level=level)
    sound = marker(rate)
    for position in positions:
        samples[position : position + len(sound)] += sound[: length - position, None]
    return samples


def found(samples: Samples, rate: int) -> int:
    """Where in these samples the marker begins that is most like a marker."""
    return int(np.argmax(np.correlate(samples[:, 0], marker(rate), mode="valid")))


def on_grid(samples: Samples, bits: int = 8) -> Samples:
    """The nearest samples that so many bits hold exactly; eight are held by every lossless format."""
    steps = 2 ** (bits - 1)
    whole: Samples = np.clip(np.rint(samples * steps), -steps, steps - 1).astype(np.float32)
    return whole / np.float32(steps)


def written(samples: Samples, rate: int, kind: str, **options: Any) -> bytes:
    """These samples as a file: a key of LOSSLESS or PACKED, or "vorbis". Options are the encoder's."""
    target = io.BytesIO()
    if kind in PACKED:
        container, codec = PACKED[kind]
        _encode(target, samples, rate, container, codec, options)
    elif kind == "vorbis":
        with soundfile.SoundFile(target, "w", rate, samples.shape[1], "VORBIS", format="OGG") as file:
            for start in range(0, len(samples), 1 << 14):  # libsndfile puts all of one call on its stack
                file.write(samples[start : start + (1 << 14)])
    else:
        container, subtype = LOSSLESS[kind]
        soundfile.write(target, _exact(samples, subtype), rate, format=container, subtype=subtype)
    return target.getvalue()


def _exact(samples: Samples, subtype: str) -> NDArray[Any]:
    """Samples as libsndfile takes them without scaling: floating point for floating point, else whole numbers."""
    bits = {"PCM_U8": 8, "PCM_16": 16, "PCM_24": 24, "PCM_32": 32}.get(subtype)
    if bits is None:
        return samples
    exact = samples if bits <= 24 else samples.astype(np.float64)  # single precision holds whole numbers of 24 bits
    steps = np.rint(exact * 2 ** (bits - 1))
    whole: NDArray[np.int32] = np.clip(steps, -(2 ** (bits - 1)), 2 ** (bits - 1) - 1).astype(np.int32)
    return whole << 32 - bits


def mp3(samples: Samples, rate: int, *, kbits: int = 128, vbr: int | None = None, **options: Any) -> bytes:
    """An MP3 with LAME's tag: constant bit rate in its quickest way, or its VBR quality (0 best to 9 smallest)."""
    if vbr is not None:
        # As `ffmpeg -q:a` does: quality in units of FF_QP2LAMBDA.
        return written(samples, rate, "mp3", global_quality=118 * vbr, flags="+qscale", **options)
    return written(samples, rate, "mp3", b=kbits * 1000, compression_level=9, **options)


def without_info_frame(content: bytes) -> bytes:
    """The same MP3 without the tag and the frame that say what made it, as many recorders write it."""
    tag = 10 + int.from_bytes(content[6:10], "big")
    return content[tag + frame_bytes(int.from_bytes(content[tag : tag + 4], "big")) :]


def _encode(
    target: io.BytesIO, samples: Samples, rate: int, container: str, codec: str, options: dict[str, Any]
) -> None:
    layout = {1: "mono", 2: "stereo"}[samples.shape[1]]
    with av.open(target, "w", format=container) as file:
        stream = file.add_stream(codec, rate=rate, layout=layout)
        assert isinstance(stream, av.AudioStream)
        stream.codec_context.options = {name: str(value) for name, value in options.items()}
        stream.codec_context.open()
        resampler = av.AudioResampler(
            format=stream.codec_context.format,
            layout=layout,
            rate=stream.codec_context.sample_rate,
            frame_size=stream.codec_context.frame_size or 1024,
        )
        frame = av.AudioFrame.from_ndarray(np.ascontiguousarray(samples.T), format="fltp", layout=layout)
        frame.sample_rate, frame.pts = rate, 0
        for piece in [*resampler.resample(frame), *resampler.resample(None)]:
            file.mux(stream.encode(piece))
        file.mux(stream.encode(None))
