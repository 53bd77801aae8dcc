"""Chromium decodes slices to the very samples of the whole recording."""

import base64

import numpy as np
import pytest
from numpy.typing import NDArray
from playwright.sync_api import Page

from tests.audio.cuttable import Material
from tests.audio.material import mp3, noise, on_grid, written
from tests.e2e.viewing import last_bit

pytestmark = pytest.mark.browser

RATE, SLICE = 44_100, 22_050
DECODE = """async ([content, rate]) => {
    const bytes = Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0));
    const sound = await new OfflineAudioContext(1, 1, rate).decodeAudioData(bytes.buffer);
    const heard = new Uint8Array(sound.getChannelData(0).buffer);
    return btoa(heard.reduce((letters, byte) => letters + String.fromCharCode(byte), ""));
}"""


def test_a_browser_decodes_slices_to_the_samples_of_the_whole(page: Page) -> None:
    loud = on_grid(noise(3 * RATE, level=0.2), 16)
    variable, plain = Material(mp3(loud, RATE, vbr=4)), Material(written(loud, RATE, "wav"))

    def heard(content: bytes) -> NDArray[np.float32]:
        decoded = page.evaluate(DECODE, [base64.b64encode(content).decode(), RATE])
        return np.frombuffer(base64.b64decode(decoded), np.float32)

    decoded = heard(variable.content)
    for recording, whole, tolerance in [(variable, decoded, 1.01 * last_bit(decoded)), (plain, loud[:, 0], 0.0)]:
        for start in range(0, 110_000, SLICE):
            piece = recording.cut(start, SLICE)
            kept = heard(piece.content)[piece.lead_samples :][: piece.length_samples]
            assert np.abs(kept - whole[start : start + SLICE]).max() <= tolerance
