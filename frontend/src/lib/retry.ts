// Ask again until there is an answer that asking again would not change, after pauses that grow.
import { Problem } from "./http.ts";
import type { Alarm, Scope } from "./scope.ts";

export const LONGEST_PAUSE_MS = 30_000;
const FIRST_PAUSE_MS = 500;

export interface Retry {
  scope: Scope;
  /** Told after every failure, before the pause. */
  onFailure: (error: unknown) => void;
  /** Which failures end the matter at once; a lost session does not, because the link can be opened in another tab. */
  isFinal?: (error: unknown) => boolean;
  /** Ends a pause early: the network came back, somebody pressed Retry. */
  alarm: Alarm;
}

const never = new Promise<never>(() => {});

export function isRefusal(error: unknown): boolean {
  return error instanceof Problem && !error.passing && !error.sessionLost;
}

/** Twice as long after every failure, up to 30 s; the lower half is fixed, the upper half drawn, so that clients spread. */
export function pauseAfter(failures: number, random: () => number = Math.random): number {
  const ceiling = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures - 1, 16));
  return ceiling / 2 + (random() * ceiling) / 2;
}

/** How long the server asked to be left alone, within reason. */
export function askedPause(error: unknown): number {
  return error instanceof Problem ? Math.min(LONGEST_PAUSE_MS, error.retryAfterMs) : 0;
}

export async function retrying<T>(work: () => Promise<T>, { scope, onFailure, isFinal, alarm }: Retry): Promise<T> {
  for (let failures = 1; !scope.disposed; failures += 1) {
    let asked = 0;
    try {
      return await work();
    } catch (error) {
      if (isFinal?.(error)) throw error;
      if (!scope.disposed) onFailure(error);
      asked = askedPause(error);
    }
    await alarm.wait(scope, asked + pauseAfter(failures));
  }
  return never; // the page is gone; nobody waits for this any more
}
