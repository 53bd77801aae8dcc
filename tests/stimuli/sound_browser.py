"""Test client of the pages of one sound, and sounds for it."""

import io
from pathlib import Path
from typing import Any

import numpy as np
import soundfile
from django.test import Client
from PIL import Image

from audio.decode.mp3_index import build_index
from audio.decode.open import open_sound
from audio.formats import Format, Samples
from stimuli import storage
from stimuli.models import Recording
from tests.audio.material import noise, on_grid, written
from tests.people import browser_of
from tests.stimuli.recordings import bring_in, cell_of

RATE = 16000


class SoundBrowser:
    """An experimenter's browser at one sound."""

    def __init__(self, recording: Recording, served: bytes = b"") -> None:
        if served:
            storage.keep("served/clip.wav", served)
        self.recording = recording
        self.stimulus = cell_of(recording, served="served/clip.wav" if served else "")
        self.client: Client = browser_of(self.stimulus.item.collection.owner)
        self.sound = f"/collections/{self.stimulus.item.collection.slug}/{self.stimulus.pk}/sound/"

    def get(self, path: str, *, status: int = 200, **headers: str) -> Any:
        answer = self.client.get(f"{self.sound}{path}", headers={"Accept": "application/json", **headers})
        assert answer.status_code == status, answer.content
        return answer

    def manifest(self) -> dict[str, Any]:
        found: dict[str, Any] = self.get("manifest/").json()
        return found

    def peaks(self, level: int, start: int, count: int) -> Any:
        answer = self.get(f"peaks/{level}/?start={start}&count={count}")
        return np.frombuffer(answer.content, np.int8).reshape(-1, 2)

    def slice(self, start: int, count: int) -> Samples:
        answer = self.get(f"slice/?start={start}&count={count}")
        assert answer.headers["Content-Type"] == "application/octet-stream"
        samples, rate = soundfile.read(io.BytesIO(answer.content), dtype="float32", always_2d=True)
        assert rate == self.recording.sample_rate_hz
        lead = int(answer.headers["Earmark-Lead"])
        kept: Samples = samples[lead : lead + int(answer.headers["Earmark-Length"])]
        return kept

    def tile(self, statistic: str, level: int, index: int) -> tuple[Any, Any]:
        answer = self.get(f"tiles/{statistic}/{level}/{index}/")
        picture = np.asarray(Image.open(io.BytesIO(answer.content)))
        assert (answer.headers["Content-Type"], picture.shape) == ("image/jpeg", (256, 1024))
        return answer, picture


def short(tmp_path: Path, kind: str, *, seconds: float = 3.0, channels: int = 2) -> tuple[SoundBrowser, Samples]:
    samples = on_grid(noise(int(seconds * RATE), channels=channels, level=0.2))
    path = tmp_path / f"short.{kind}"
    path.write_bytes(written(samples, RATE, kind))
    return SoundBrowser(bring_in(path), served=written(samples, RATE, "wav")), samples


def decoded(path: Path) -> Any:
    """The whole file opened here, to compare with."""
    kind = Format(path.suffix[1:])
    with path.open("rb") as file:
        index = build_index(file, format=kind)
    return open_sound(path.open("rb"), format=kind, index=index)
