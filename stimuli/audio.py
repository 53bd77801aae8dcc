"""Sound files as they are served: 16-bit PCM in a WAV of exactly two chunks, with nothing that tells its origin."""

import io
from dataclasses import dataclass

import soundfile

from stimuli.errors import EmptyAudio, NotAudio


@dataclass(frozen=True)
class ServedAudio:
    wav: bytes
    sample_rate_hz: int
    channels: int
    length_samples: int


def served_form(content: bytes, *, name: str) -> ServedAudio:
    """Decode a file and write it anew, so that titles, dates and software names stay behind."""
    try:
        samples, rate = soundfile.read(io.BytesIO(content), dtype="int16", always_2d=True)
    except soundfile.LibsndfileError as problem:
        raise NotAudio(name=name, problem=str(problem).rstrip(".")) from None
    if not len(samples):
        raise EmptyAudio(name=name)
    target = io.BytesIO()
    soundfile.write(target, samples, rate, format="WAV", subtype="PCM_16")
    return ServedAudio(target.getvalue(), rate, samples.shape[1], len(samples))
