"""WAV, RF64, W64, AIFF and FLAC: libsndfile finds any sample of them at once."""

from collections.abc import Iterator
from typing import BinaryIO

import soundfile

from stimuli.errors.sound import EmptyAudio, NotAudio, SoundBroken, SoundUnsupported
from stimuli.sound.facts import Samples, Shape
from stimuli.sound.formats import Format
from stimuli.sound.sources.base import Sound
from stimuli.sound.sources.claims import claimed_bytes
from stimuli.sound.sources.libsndfile import Decoder

_CONTAINERS = {
    Format.WAV: {"WAV", "WAVEX", "RF64"},
    Format.W64: {"W64"},
    Format.FLAC: {"FLAC"},
    Format.AIFF: {"AIFF"},
}
# By coding: bits worth keeping, and bytes a sample takes in the file.
_CODINGS = {
    "PCM_S8": (16, 1),
    "PCM_U8": (16, 1),
    "PCM_16": (16, 2),
    "PCM_24": (24, 3),
    "PCM_32": (32, 4),
    "FLOAT": (32, 4),
    "DOUBLE": (32, 8),
    "ULAW": (16, 1),
    "ALAW": (16, 1),
}


class SeekableSound(Sound):
    def __init__(self, file: BinaryIO, *, format: Format, name: str) -> None:
        self.name = name
        claim = claimed_bytes(file, format=format, name=name)
        self._decoder = self._open(file, format)
        bits, width = _CODINGS[self._decoder.subtype]
        self.shape = Shape(
            format=str(format),
            sample_rate_hz=self._decoder.samplerate,
            channels=self._decoder.channels,
            length_samples=self._decoder.frames,
            bits=bits,
        )
        if not self.shape.length_samples:
            raise EmptyAudio(name=name)
        if claim is not None:
            self._refuse_contradiction(claim // (self.shape.channels * width))
        self._refuse_missing_end()

    def _open(self, file: BinaryIO, format: Format) -> Decoder:
        file.seek(0)
        try:
            decoder = Decoder(file)
        except soundfile.LibsndfileError as trouble:
            raise NotAudio(name=self.name, problem=str(trouble.error_string).rstrip(".")) from None
        if decoder.format not in _CONTAINERS[format]:
            problem = f"it begins like {format.upper()} and goes on like {decoder.format}"
            raise NotAudio(name=self.name, problem=problem)
        if decoder.subtype not in _CODINGS:
            problem = f"its samples are coded as {decoder.subtype}; give PCM or FLAC"
            raise SoundUnsupported(name=self.name, problem=problem)
        return decoder

    def _refuse_contradiction(self, claimed_samples: int) -> None:
        length = self.shape.length_samples
        if abs(length - claimed_samples) > 1:
            problem = f"it says that it has {length:,} samples, and that its data hold {claimed_samples:,}"
            raise SoundBroken(name=self.name, problem=problem)

    def _refuse_missing_end(self) -> None:
        """A header may promise more than there is; the last sample shows it without decoding the rest."""
        last = self.shape.length_samples - 1
        if not sum(len(piece) for piece in self._stream(last, last + 1, 1)):
            problem = f"it should have {last + 1:,} samples and its last cannot be read"
            raise SoundBroken(name=self.name, problem=problem)

    def _stream(self, start: int, stop: int, size: int) -> Iterator[Samples]:
        try:
            self._decoder.seek(start)
            for at in range(start, stop, size):
                wanted = min(size, stop - at)
                samples: Samples = self._decoder.read(wanted, dtype="float32", always_2d=True)
                yield samples
                if len(samples) < wanted:
                    return
        except soundfile.LibsndfileError:
            return
