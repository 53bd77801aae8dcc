"""Decoder for Opus, Vorbis and MP4: packets through libav, placed by their time stamps."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import BinaryIO, cast

import av
import numpy as np

from audio.decode.base import Sound, in_blocks
from audio.errors import (
    DECODER_SAYS,
    SEVERAL_STREAMS,
    EmptyAudio,
    NotAudio,
    SoundBroken,
    SoundUnsupported,
    gettext_noop,
)
from audio.formats import HANDLING, Format, Samples, Shape

LONGEST_PAGE_BYTES = 65_307
_HEAD_BYTES = 27
_IS_LAST = 4
_MOST_HEADER_PAGES = 1000  # pictures may lie among the comments


@dataclass(frozen=True)
class Ends:
    """What the first and the last page of a stream say."""

    opening: bytes  # the identification header of the codec
    first_granule: int  # how much has been heard by the end of the first page of sound
    last_granule: int


def read_ends(file: BinaryIO, *, name: str) -> Ends:
    """Read the first pages and find the last; a stream without a page that says it is the last has been cut off."""
    size = file.seek(0, 2)
    file.seek(max(0, size - 2 * LONGEST_PAGE_BYTES))
    last = _last_page(file.read())
    if last is None:
        raise SoundBroken(name=name, problem=gettext_noop("it has no last page"))
    first = _page_at(file, 0)
    if first is None or last[14:18] != first[14:18]:
        raise SoundUnsupported(name=name, problem=SEVERAL_STREAMS)
    return Ends(_body(first), _first_granule(file, name), _granule(last))


def _first_granule(file: BinaryIO, name: str) -> int:
    at = 0
    for _ in range(_MOST_HEADER_PAGES):
        page = _page_at(file, at)
        if page is None:
            break
        if _granule(page) > 0:
            return _granule(page)
        at += len(page)
    raise SoundBroken(name=name, problem=gettext_noop("its beginning cannot be read"))


def _page_at(file: BinaryIO, at: int) -> bytes | None:
    file.seek(at)
    page = file.read(LONGEST_PAGE_BYTES)
    return page[: _page_bytes(page)] if page[:4] == b"OggS" and 0 < _page_bytes(page) <= len(page) else None


def _last_page(tail: bytes) -> bytes | None:
    """The last whole page, if it says that it is the last."""
    at = tail.rfind(b"OggS")
    while at >= 0:
        page = tail[at:]
        if 0 < _page_bytes(page) <= len(page):
            return page if page[5] & _IS_LAST else None
        at = tail.rfind(b"OggS", 0, at)
    return None


def _page_bytes(page: bytes) -> int:
    """How long the page is that begins so; 0 if that cannot be seen."""
    if len(page) < _HEAD_BYTES or len(page) < _HEAD_BYTES + page[26]:
        return 0
    return _HEAD_BYTES + page[26] + sum(_lacing(page))


def _lacing(page: bytes) -> bytes:
    return page[_HEAD_BYTES : _HEAD_BYTES + page[26]]


def _body(page: bytes) -> bytes:
    return page[_HEAD_BYTES + page[26] :]


def _granule(page: bytes) -> int:
    return int.from_bytes(page[6:14], "little", signed=True)


# --- Decoder ----------------------------------------------------------------------------------------------------------


_CODECS = {Format.OPUS: {"opus"}, Format.VORBIS: {"vorbis"}, Format.M4A: {"aac", "alac"}}
# The reference decoder: libav's own is 12 dB off in the parts that are coded as speech, and two samples late.
_DECODERS = {"opus": "libopus"}
_decoder_of = av.CodecContext.create
# A decoder that starts in the middle needs sound before it to give what one gives that started at the beginning.
# RFC 7845 4.6 asks for 80 ms of Opus; a second costs little.
PREROLL_S = 1
# Nothing but the bytes handed over may be read, whatever the file refers to.
_CONFINED = {"protocol_whitelist": "none", "enable_drefs": "0", "use_absolute_path": "0"}
_FULL_SCALE = {"s16": 2**15, "s32": 2**31, "flt": 1, "dbl": 1}


class PacketSound(Sound):
    def __init__(self, file: BinaryIO, *, format: Format, name: str) -> None:
        self.name = name
        # Before the container: from then on the position in the file is the demuxer's.
        ends = None if format is Format.M4A else read_ends(file, name=name)
        self._container = self._open(file, format)
        self._track = self._only_track(format)
        self._decoder = self._new_decoder()
        first = self._first_frame()
        self._rate = first.sample_rate
        # RFC 7845 5.1: so many samples at the beginning are not to be played.
        skipped = int.from_bytes(ends.opening[10:12], "little") if ends and format is Format.OPUS else 0
        self._samples_per_tick = (self._track.time_base or Fraction(1, self._rate)) * self._rate
        self._origin = 0
        # Time may begin later than at 0, but not earlier: what comes before is the encoder's delay.
        self._origin = max(0, self._position(first) + skipped)
        if ends and self._origin >= ends.first_granule:
            raise SoundBroken(name=name, problem=gettext_noop("its beginning cannot be read"))
        self.shape = Shape(
            format=str(format),
            sample_rate_hz=self._rate,
            channels=first.layout.nb_channels,
            length_samples=self._length(ends, skipped),
            bits=24 if first.format.name.startswith("s32") else 16,
        )
        if self.shape.length_samples <= 0:
            raise EmptyAudio(name=name)

    def _open(self, file: BinaryIO, format: Format) -> av.container.InputContainer:
        file.seek(0)
        try:
            return av.open(file, mode="r", format=HANDLING[format].demuxer, options=_CONFINED, metadata_errors="ignore")
        except av.FFmpegError as problem:
            raise NotAudio(name=self.name, problem=DECODER_SAYS, complaint=_complaint(problem)) from None

    def _only_track(self, format: Format) -> av.AudioStream:
        tracks = self._container.streams.audio
        if not tracks:
            raise NotAudio(name=self.name, problem=gettext_noop("it holds no sound track"))
        if len(tracks) > 1:
            problem = gettext_noop("it holds {count} sound tracks instead of one")
            raise SoundUnsupported(name=self.name, problem=problem, count=len(tracks))
        context: av.AudioCodecContext | None = tracks[0].codec_context  # none if libav knows no such codec
        codec = context.name if context else "?"
        if codec not in _CODECS[format]:
            problem = gettext_noop("its sound is coded as {codec}; give AAC, WAV or FLAC")
            raise SoundUnsupported(name=self.name, problem=problem, codec=codec)
        return tracks[0]

    def _new_decoder(self) -> av.AudioCodecContext:
        known = self._track.codec_context
        decoder = cast(av.AudioCodecContext, _decoder_of(_DECODERS.get(known.name, known.name), "r"))
        decoder.extradata = known.extradata
        decoder.sample_rate = known.sample_rate
        decoder.layout = known.layout
        # Nothing is dropped on the way, so that every frame begins where its time stamp says.
        decoder.options = {"request_sample_fmt": "flt", "flags2": "+skip_manual"}
        return decoder

    def _first_frame(self) -> av.AudioFrame:
        for frame in self._frames():
            return frame
        raise EmptyAudio(name=self.name)

    def _frames(self) -> Iterator[av.AudioFrame]:
        try:
            for packet in self._container.demux(self._track):
                yield from self._decoder.decode(packet)
        except av.FFmpegError as problem:
            raise SoundBroken(name=self.name, problem=DECODER_SAYS, complaint=_complaint(problem)) from None

    def _position(self, frame: av.AudioFrame) -> int:
        if frame.pts is None:
            raise SoundBroken(name=self.name, problem=gettext_noop("its packets carry no times"))
        # Nearly all files count their time in samples; this runs for every packet.
        ticks = frame.pts if self._samples_per_tick == 1 else round(frame.pts * self._samples_per_tick)
        return ticks - self._origin

    def _length(self, ends: Ends | None, skipped: int) -> int:
        if ends is None:
            return round((self._track.duration or 0) * self._samples_per_tick)
        return ends.last_granule - skipped - self._origin

    def _stream(self, start: int, stop: int, size: int) -> Iterator[Samples]:
        return in_blocks(self._pieces(start, stop), size)

    def _pieces(self, start: int, stop: int) -> Iterator[Samples]:
        self._seek(max(0, start - PREROLL_S * self._rate))
        at: int | None = None
        for frame in self._frames():
            position = self._position(frame)
            at = position if at is None else at
            if abs(position - at) > frame.samples:
                problem = gettext_noop("a piece is missing after {time} s")
                raise SoundBroken(name=self.name, problem=problem, time=f"{at / self._rate:.3f}")
            samples = self._samples(frame)
            piece = samples[max(0, start - at) : max(0, stop - at)]
            at += len(samples)
            if len(piece):
                yield piece
            if at >= stop:
                return

    def _seek(self, target: int) -> None:
        self._container.seek(int((target + self._origin) / self._samples_per_tick), stream=self._track)
        # A new one: some decoders keep more than a flush takes away, such as the state of their noise.
        self._decoder = self._new_decoder()

    def _samples(self, frame: av.AudioFrame) -> Samples:
        channels = self.shape.channels
        kind = frame.format.name
        data = frame.to_ndarray()
        shaped = data.T if kind.endswith("p") else data.reshape(-1, channels)
        if frame.sample_rate != self._rate or shaped.shape[1] != channels:
            raise SoundUnsupported(
                name=self.name, problem=gettext_noop("its sample rate or channels change on the way")
            )
        samples = np.ascontiguousarray(shaped, np.float32)
        full_scale = _FULL_SCALE[kind.removesuffix("p")]
        return samples if full_scale == 1 else samples / np.float32(full_scale)


def _complaint(trouble: av.FFmpegError) -> str:
    return (trouble.strerror or "?").rstrip(".")
