"""Aligned voices in Chromium: a switch keeps every sample in its place and makes no click."""

import subprocess

import numpy as np
import pytest
from numpy.typing import NDArray
from playwright.sync_api import Page

from scripts.console import words
from scripts.install import FRONTEND, node_environment

pytestmark = pytest.mark.browser

RATE_HZ, SECONDS = 48_000, 0.5
HOOK = """
import { Scope } from "./src/lib/scope.ts";
import { FADE_S, Playback } from "./src/player/player.ts";
Object.assign(globalThis, { Scope, Playback, FADE_S });
"""
# Voices are arrays of samples; at each time of `switches` (in seconds) another one is heard.
RENDER = """async ({ voices, switches, rate }) => {
    const context = new OfflineAudioContext(1, voices[0].length, rate);
    const clips = voices.map((samples) => {
        const buffer = context.createBuffer(1, samples.length, rate);
        buffer.copyToChannel(Float32Array.from(samples), 0);
        return { buffer, durationS: buffer.duration };
    });
    const playback = new Playback(context, context.destination, clips, {}, new Scope());
    for (const [time, voice] of switches)
        context.suspend(time).then(() => { playback.switchTo(voice); context.resume(); });
    return [...(await context.startRendering()).getChannelData(0)];
}"""


def player_script() -> str:
    """The player of the site as a script that leaves its names to the page."""
    command = words(FRONTEND / "node_modules" / ".bin" / "esbuild", "--bundle", "--format=iife", "--loader=ts")
    made = subprocess.run(
        command, input=HOOK, cwd=FRONTEND, env=node_environment(), check=True, capture_output=True, text=True
    )
    return made.stdout


@pytest.fixture
def player(page: Page) -> Page:
    page.evaluate(player_script())
    return page


def render(page: Page, voices: list[NDArray[np.float64]], switches: list[tuple[float, int]]) -> NDArray[np.float64]:
    plan = {"voices": [voice.tolist() for voice in voices], "switches": switches, "rate": RATE_HZ}
    return np.asarray(page.evaluate(RENDER, plan))


def test_a_switch_between_equal_voices_cannot_be_heard(player: Page) -> None:
    noise = np.random.default_rng(3).uniform(-0.5, 0.5, int(RATE_HZ * SECONDS))
    heard = render(player, [noise, noise, noise], [(0.1, 1), (0.2, 2), (0.204, 0), (0.3, 1)])
    assert np.abs(heard - noise).max() < 1e-6


def test_a_switch_to_another_level_is_a_ramp_without_a_jump(player: Page) -> None:
    loud, silent = np.ones(int(RATE_HZ * SECONDS)), np.zeros(int(RATE_HZ * SECONDS))
    heard = render(player, [loud, silent], [(0.1, 1), (0.2, 0), (0.204, 1)])
    steepest = 1 / (player.evaluate("FADE_S") * RATE_HZ)
    assert np.abs(np.diff(heard)).max() < 1.01 * steepest + 1e-6
    assert heard[int(0.09 * RATE_HZ)] == 1
    assert heard[int(0.15 * RATE_HZ)] == heard[-1] == 0
    assert heard.max() <= 1
