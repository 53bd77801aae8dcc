"""Validation: what cannot be read is rejected with a sentence that says what is wrong, and never half read."""

import io
from functools import cache
from pathlib import Path

import av
import numpy as np
import pytest
import soundfile

from audio.decode.open import open_sound
from audio.errors import AudioError, EmptyAudio, NotAudio, SoundBroken, SoundUnsupported
from audio.formats import Format
from tests.audio.material import EVERY_KIND, noise, opened, rate_for, written


@cache
def whole(kind: str) -> bytes:
    rate = rate_for(kind)
    return written(noise(2 * rate), rate, kind)


@pytest.mark.parametrize("kind", EVERY_KIND)
@pytest.mark.parametrize("share", [0.95, 0.5, 0.1, 0.01])
def test_a_file_that_breaks_off_is_refused(kind: str, share: float) -> None:
    content = whole(kind)
    with pytest.raises((SoundBroken, NotAudio, EmptyAudio)) as error:
        sum(len(block) for block in opened(content[: int(share * len(content))]).blocks())
    assert "'sound'" in str(error.value)


@pytest.mark.parametrize("kind", ["wav", "w64", "rf64", "aiff"])
def test_an_error_says_how_much_is_missing(kind: str) -> None:
    content = written(noise(1000), 44100, kind)
    with pytest.raises(SoundBroken, match=r"it should hold 2,000 bytes of samples and holds 1,\d\d\d\. Export"):
        opened(content[:-500])


@pytest.mark.parametrize("kind", EVERY_KIND)
def test_a_damaged_file_gets_a_verdict(kind: str) -> None:
    rate = rate_for(kind)
    content = written(noise(rate), rate, kind)
    rng = np.random.default_rng(6)
    for _ in range(15):
        damaged = bytearray(content)
        for at in rng.integers(12, len(content), 20):
            damaged[at] = rng.integers(256)
        try:
            sound = opened(bytes(damaged))
            assert sum(len(block) for block in sound.blocks()) == sound.shape.length_samples
        except AudioError as error:
            assert isinstance(error, NotAudio | SoundBroken | SoundUnsupported | EmptyAudio)  # noqa: PT017


@pytest.mark.parametrize("kind", ["wav", "w64", "aiff", "rf64"])
def test_a_file_without_a_sample_is_refused(kind: str) -> None:
    with pytest.raises(EmptyAudio):
        opened(written(noise(0), 44100, kind))


@pytest.mark.parametrize(
    "head",
    [
        b"ID3\x04\0\0\0\0\0\x05",
        b"RIFF\xff\0\0\0WAVE",
        b"fLaC",
        b"FORM\0\0\0\x20AIFF",
        b"OggS\0\x02" + bytes(22) + b"OpusHead",
    ],
)
def test_a_file_that_only_begins_like_sound_is_refused(head: bytes) -> None:
    with pytest.raises((NotAudio, SoundBroken)):
        opened(head + b"#EXTM3U\nfile:///etc/hostname\n" * 40)


def test_a_wav_of_another_coding_is_refused_with_its_name() -> None:
    content = io.BytesIO()
    soundfile.write(content, noise(4000), 8000, format="WAV", subtype="IMA_ADPCM")
    with pytest.raises(SoundUnsupported, match="IMA_ADPCM"):
        opened(content.getvalue())


def test_a_flac_that_does_not_say_its_length_is_refused_in_words_and_not_in_numbers() -> None:
    content = bytearray(written(noise(1000), 44100, "flac"))
    content[21] &= 0xF0  # the count of samples: 36 bits of STREAMINFO (RFC 9639 8.2)
    content[22:26] = bytes(4)
    with pytest.raises(SoundUnsupported, match="its header does not say how long it is; export it again") as error:
        opened(bytes(content))
    assert not any(sign.isdigit() for sign in str(error.value))


def test_a_plain_wav_beyond_its_header_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "long.wav"
    path.write_bytes(written(noise(1000), 44100, "wav"))
    with path.open("r+b") as file:
        file.truncate(2**32 + 1000)
        with pytest.raises(SoundUnsupported, match="RF64"):
            open_sound(file, format=Format.WAV, name="long.wav")


def test_mp4_with_another_codec_is_refused() -> None:
    content = io.BytesIO()
    with av.open(content, "w", format="mp4") as file:
        stream = file.add_stream("ac3", rate=48000, layout="mono")
        frame = av.AudioFrame.from_ndarray(noise(1536).T.copy(), format="fltp", layout="mono")
        frame.sample_rate = 48000
        file.mux(stream.encode(frame))
        file.mux(stream.encode(None))
    with pytest.raises(SoundUnsupported, match="ac3"):
        opened(content.getvalue())


def test_ogg_streams_one_after_the_other_are_refused() -> None:
    first = written(noise(48000), 48000, "opus")
    second = written(noise(48000, seed=2), 48000, "opus")
    with pytest.raises(SoundUnsupported, match="several streams"):
        opened(first + second.replace(second[14:18], b"abcd"))
