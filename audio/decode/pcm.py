"""Decoder for WAV, RF64, W64, AIFF and FLAC, in which libsndfile finds any sample at once."""

import struct
from collections.abc import Iterator
from typing import BinaryIO

import soundfile

from audio.decode.base import Sound
from audio.decode.libsndfile import Decoder
from audio.errors import DECODER_SAYS, EmptyAudio, NotAudio, SoundBroken, SoundUnsupported, gettext_noop
from audio.formats import Format, Samples, Shape

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
        claim = declared_bytes(file, format=format, name=name)
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
            problem = gettext_noop("its header does not say how long it is; export it again as FLAC or WAV")
            raise SoundUnsupported(name=name, problem=problem)
        if claim is not None:
            self._refuse_contradiction(claim // (self.shape.channels * width))
        self._refuse_missing_end()

    def _open(self, file: BinaryIO, format: Format) -> Decoder:
        file.seek(0)
        try:
            decoder = Decoder(file)
        except soundfile.LibsndfileError as trouble:
            complaint = str(trouble.error_string).rstrip(".")
            raise NotAudio(name=self.name, problem=DECODER_SAYS, complaint=complaint) from None
        if decoder.format not in _CONTAINERS[format]:
            problem = gettext_noop("it begins like {first} and goes on like {then}")
            raise NotAudio(name=self.name, problem=problem, first=format.upper(), then=decoder.format)
        if decoder.subtype not in _CODINGS:
            problem = gettext_noop("its samples are coded as {coding}; give PCM or FLAC")
            raise SoundUnsupported(name=self.name, problem=problem, coding=decoder.subtype)
        return decoder

    def _refuse_contradiction(self, claimed_samples: int) -> None:
        length = self.shape.length_samples
        if abs(length - claimed_samples) > 1:
            problem = gettext_noop("it says that it has {count} samples, and that its data hold {found}")
            raise SoundBroken(name=self.name, problem=problem, count=length, found=claimed_samples)

    def _refuse_missing_end(self) -> None:
        """A header may promise more than there is; the last sample shows it without decoding the rest."""
        last = self.shape.length_samples - 1
        if not sum(len(piece) for piece in self._stream(last, last + 1, 1)):
            problem = gettext_noop("it should have {count} samples, and its last cannot be read")
            raise SoundBroken(name=self.name, problem=problem, count=last + 1)

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


# --- Declared length --------------------------------------------------------------------------------------------------


# Programs that write into a pipe cannot come back to fill in the length, and leave one of these.
_UNKNOWN_SIZES = {0, 0x7FFFFFFF, 0x7FFFF000, 0x7FFFFFFE, 0xFFFFFFFF, 0xFFFFFFFE}
BEYOND_HEADER = gettext_noop("a plain WAV cannot say how long it is beyond 4 GiB; export it as RF64, W64 or FLAC")
_MOST_CHUNKS = 10_000
_W64_DATA = b"data" + bytes.fromhex("f3acd3118cd100c04f8edb8a")


def declared_bytes(file: BinaryIO, *, format: Format, name: str) -> int | None:
    """How many bytes of samples the header promises, or None if it does not say.

    Refuses a file that holds less than that, and a plain WAV that has outgrown its header.
    """
    size = file.seek(0, 2)
    file.seek(0)
    walk = {Format.WAV: _wav_data, Format.W64: _w64_data, Format.AIFF: _aiff_data}.get(format)
    claim = next(walk(file, size), None) if walk else None
    if claim is None:
        return None
    start, length = claim
    if format is Format.WAV and size >= 2**32 and length < 2**32:
        raise SoundUnsupported(name=name, problem=BEYOND_HEADER)
    if start + length > size + 1:  # some count the byte that makes an odd length even, and do not write it
        problem = gettext_noop("it should hold {claim} bytes of samples and holds {found}")
        raise SoundBroken(name=name, problem=problem, claim=length, found=size - start)
    return length


def _wav_data(file: BinaryIO, size: int) -> Iterator[tuple[int, int]]:
    """RIFF, RF64 and BW64 (EBU Tech 3306): chunks of a name and 32 bits of length, the long ones in `ds64`."""
    long_data = None
    for kind, start, length in _chunks(file, 12, size, "<4sI", 2):
        if kind == b"ds64":
            file.seek(start)
            long_data = int.from_bytes(file.read(16)[8:16], "little")
        if kind == b"data" and length == 0xFFFFFFFF and long_data is not None:
            yield start, long_data
        elif kind == b"data" and length not in _UNKNOWN_SIZES:
            yield start, length


def _aiff_data(file: BinaryIO, size: int) -> Iterator[tuple[int, int]]:
    for kind, start, length in _chunks(file, 12, size, ">4sI", 2):
        if kind == b"SSND" and length not in _UNKNOWN_SIZES:
            yield start + 8, length - 8  # after its offset and block size


def _w64_data(file: BinaryIO, size: int) -> Iterator[tuple[int, int]]:
    """Sony Wave64: names are GUIDs and lengths, which count their own 24 bytes, have 64 bits."""
    for kind, start, length in _chunks(file, 40, size, "<16sQ", 8, counts_head=True):
        if kind == _W64_DATA:
            yield start, length


def _chunks(
    file: BinaryIO, at: int, size: int, head: str, alignment: int, *, counts_head: bool = False
) -> Iterator[tuple[bytes, int, int]]:
    head_bytes = struct.calcsize(head)
    for _ in range(_MOST_CHUNKS):
        file.seek(at)
        read = file.read(head_bytes)
        if len(read) < head_bytes:
            return
        kind, length = struct.unpack(head, read)
        length -= head_bytes if counts_head else 0
        if length < 0:
            return
        yield kind, at + head_bytes, length
        at += head_bytes + length + -(head_bytes + length) % alignment
        if at >= size:
            return
