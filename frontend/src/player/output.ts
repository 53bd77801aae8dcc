// Audio output of a page: shared contexts, level, fade, and latency.
import type { Scope } from "../lib/scope.ts";

/** 0 dB of everything that plays on the site: half of full scale, so that a level can be raised as well as lowered. */
export const FIXED_GAIN = 0.5;
export const LOWEST_DB = -6;
export const HIGHEST_DB = 6; // from +6.02 dB on, the gain would pass 1
const RAMP_S = 0.005;
const LONGEST_LATENCY_S = 1;
const FIREFOX_LEAD_S = 0.06;
const RENDERED_AT_ONCE_S = 0.02; // or less: browsers render 128 frames at a time, 16 ms at 8 kHz

/** What a level in decibels means as a factor. */
export function gainOf(levelDb: number): number {
  return FIXED_GAIN * 10 ** (levelDb / 20);
}

/** From the clock to the ear; what a device claims beyond a second is not believed. */
export function latencyS(context: AudioContext): number {
  return Math.min(context.outputLatency || context.baseLatency || 0, LONGEST_LATENCY_S);
}

/**
 * How far beyond the clock a change is scheduled so that it is in time; what is late jumps, or sounds beside its picture.
 * Chromium gives its block as base latency and needs no more than the shortest. Firefox gives 0 and takes a change up to
 * two blocks of the device late, which was 38 ms with PulseAudio.
 */
export function leadS(context: AudioContext, shortestS = 0): number {
  return context.baseLatency === 0 ? Math.max(FIREFOX_LEAD_S, shortestS) : shortestS;
}

/** Whether a time is still ahead of all that is rendered, also of what is being rendered at this moment. */
export function isAheadOf(context: AudioContext, timeS: number): boolean {
  return context.currentTime + RENDERED_AT_ONCE_S <= timeS;
}

/** Let a gain fall to nothing, as soon as the context can; returns the time at which it has. */
export function fadeOut(context: AudioContext, gain: AudioParam, from: number): number {
  const startS = context.currentTime + leadS(context);
  const silentS = startS + RAMP_S;
  gain.setValueAtTime(from, startS);
  gain.linearRampToValueAtTime(0, silentS);
  return silentS;
}

interface Shared {
  context: AudioContext;
  users: number;
}

const shared = new Map<number, Shared>();

/** How many contexts are open, for tests that look for leaks. */
export function openContexts(): number {
  return shared.size;
}

/** A context of the recording's own rate, so that decoding changes no sample; of the device's rate where the browser has no such. */
function makeContext(sampleRateHz: number): AudioContext {
  try {
    return new AudioContext({ sampleRate: sampleRateHz, latencyHint: "interactive" });
  } catch {
    return new AudioContext({ latencyHint: "interactive" });
  }
}

/** The page's context for a rate, until the scope ends. */
export function borrowContext(sampleRateHz: number, scope: Scope): AudioContext {
  const entry = shared.get(sampleRateHz) ?? { context: makeContext(sampleRateHz), users: 0 };
  shared.set(sampleRateHz, entry);
  entry.users += 1;
  scope.own(() => {
    entry.users -= 1;
    if (entry.users) return;
    shared.delete(sampleRateHz);
    void entry.context.close();
  });
  return entry.context;
}

const PATIENCE_MS = 1500;

/** Ask the browser for sound; only a click or a key may do so. False when it stays silent. */
export async function unlock(context: AudioContext, scope: Scope): Promise<boolean> {
  if (context.state === "running") return true;
  const inner = scope.child();
  // A refused resume() neither resolves nor rejects in some browsers.
  const patience = new Promise<void>((resolve) => {
    inner.own(resolve);
    inner.after(PATIENCE_MS, resolve);
  });
  await Promise.race([context.resume().catch(() => {}), patience]);
  inner.dispose();
  return (context.state as AudioContextState) === "running";
}

let soundingNow: { stop(): void } | null = null;

/** One sound at a time on a page: a player that begins stops the one before. */
export function becomeOnlySound(player: { stop(): void }): void {
  if (soundingNow !== player) soundingNow?.stop();
  soundingNow = player;
}

export function endOnlySound(player: { stop(): void }): void {
  if (soundingNow === player) soundingNow = null;
}
