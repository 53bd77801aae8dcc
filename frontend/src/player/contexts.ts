// The audio clocks of a page: one for every sampling rate, shared by all players, closed with the last of them.
import type { Scope } from "../lib/scope.ts";

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

/** One sound at a time on a page: whoever begins ends the one before. */
export function takeTheFloor(player: { stop(): void }): void {
  if (soundingNow !== player) soundingNow?.stop();
  soundingNow = player;
}

export function leaveTheFloor(player: { stop(): void }): void {
  if (soundingNow === player) soundingNow = null;
}
