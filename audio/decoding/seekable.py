"""WAV, RF64, W64, AIFF and FLAC: libsndfile finds any sample of them at once."""

from collections.abc import Iterator
from typing import BinaryIO

import soundfile

from audio.decoding.base import Sound
from audio.decoding.claims import claimed_bytes
from audio.decoding.libsndfile import Decoder
from audio.errors import EmptyAudio, NotAudio, SoundBroken, SoundUnsupported
from audio.facts import Samples, Shape
from audio.formats import Format
from core.clauses import clause

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
# FLAC counts its samples in 36 bits (RFC 9639 8.2); libsndfile gives more where the count is left at zero.
_MOST_FLAC_SAMPLES = 2**36


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
        if format is Format.FLAC and self.shape.length_samples >= _MOST_FLAC_SAMPLES:
            problem = clause("its header does not say how long it is; export it again as FLAC or WAV")
            raise SoundUnsupported(name=name, problem=problem)
        if claim is not None:
            self._refuse_contradiction(claim // (self.shape.channels * width))
        self._refuse_missing_end()

    def _open(self, file: BinaryIO, format: Format) -> Decoder:
        file.seek(0)
        try:
            decoder = Decoder(file)
        except soundfile.LibsndfileError as trouble:
            problem = clause('the decoder says "{complaint}"', complaint=str(trouble.error_string).rstrip("."))
            raise NotAudio(name=self.name, problem=problem) from None
        if decoder.format not in _CONTAINERS[format]:
            problem = clause(
                "it begins like {first} and goes on like {then}", first=format.upper(), then=decoder.format
            )
            raise NotAudio(name=self.name, problem=problem)
        if decoder.subtype not in _CODINGS:
            problem = clause("its samples are coded as {coding}; give PCM or FLAC", coding=decoder.subtype)
            raise SoundUnsupported(name=self.name, problem=problem)
        return decoder

    def _refuse_contradiction(self, claimed_samples: int) -> None:
        length = self.shape.length_samples
        if abs(length - claimed_samples) > 1:
            problem = clause(
                "it says that it has {count} samples, and that its data hold {found}",
                count=length,
                found=claimed_samples,
            )
            raise SoundBroken(name=self.name, problem=problem)

    def _refuse_missing_end(self) -> None:
        """A header may promise more than there is; the last sample shows it without decoding the rest."""
        last = self.shape.length_samples - 1
        if not sum(len(piece) for piece in self._stream(last, last + 1, 1)):
            problem = clause("it should have {count} samples, and its last cannot be read", count=last + 1)
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
