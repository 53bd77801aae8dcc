"""Plain WAV is read without a decoder, and nothing can tell the difference but a clock."""

import io

import numpy as np
import pytest
import soundfile

from audio.clips.plainclips import examine_clips, read_plain
from audio.clips.plainwav import wav, wav_head
from audio.judging import files as work
from audio.measuring.stretches import open_file

LIMITS = {"longest_h": 1.0, "short_s": 600.0}


def encoded(bits: int, channels: int = 1, *, rate: int = 16000, count: int = 8000) -> io.BytesIO:
    limit = 2 ** (bits - 1)
    values = np.random.default_rng(bits + channels).integers(-limit, limit, (count, channels))
    values[:2] = [[-limit] * channels, [limit - 1] * channels]
    file = io.BytesIO()
    soundfile.write(file, (values << (32 - bits)).astype(np.int32), rate, format="WAV", subtype=f"PCM_{bits}")
    return file


@pytest.mark.parametrize("bits", [16, 24])
@pytest.mark.parametrize("channels", [1, 2, 5])
def test_the_same_samples_come_out_as_from_the_decoder(bits: int, channels: int) -> None:
    file = encoded(bits, channels)
    plain = read_plain(io.BytesIO(wav(file.getvalue()[44:], sample_rate_hz=16000, channels=channels, bits=bits)))
    sound = open_file(file, name="x")
    assert plain is not None
    shape, samples = plain
    assert (shape.sample_rate_hz, shape.channels, shape.length_samples, shape.bits) == (16000, channels, 8000, bits)
    np.testing.assert_array_equal(samples, sound.read(0, 8000))


def test_verdicts_are_those_of_the_decoder_for_every_kind_of_file() -> None:
    flac, empty = io.BytesIO(), io.BytesIO()
    soundfile.write(flac, np.random.default_rng(0).uniform(-0.1, 0.1, 9000), 8000, format="FLAC")
    soundfile.write(empty, np.zeros(0), 8000, format="WAV")
    odd = [
        io.BytesIO(encoded(16).getvalue()[:-500]),
        io.BytesIO(wav_head(0, sample_rate_hz=16000, channels=1, bits=16)),
        io.BytesIO(wav(bytes(600), sample_rate_hz=3, channels=1, bits=16)),
        io.BytesIO(wav(bytes(600), sample_rate_hz=16000, channels=100, bits=16)),
        io.BytesIO(wav(bytes(602), sample_rate_hz=16000, channels=2, bits=16)),
        io.BytesIO(b"RIFF"),
    ]
    files = [encoded(16), encoded(24), flac, empty, *odd]
    names = [str(number) for number in range(len(files))]
    slow = work.examine_clips(*files, names=names, **LIMITS)["clips"]
    fast = examine_clips(*files, names=names, **LIMITS)["clips"]
    for one, other in zip(slow, fast, strict=True):
        one.pop("sha256", None)
        other.pop("sha256", None)
        assert one == other
    assert sum("error" in verdict for verdict in fast) == 6  # half a frame at the end does no harm


def test_a_long_plain_file_is_left_to_those_who_take_it_in_pieces() -> None:
    (verdict,) = examine_clips(encoded(16), names=["long"], longest_h=1.0, short_s=0.1)["clips"]
    assert (verdict["is_short"], verdict["measures"]) == (False, None)
