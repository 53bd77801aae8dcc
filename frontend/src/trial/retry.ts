// Ask again until there is an answer that asking again would not change.
import { Problem } from "../lib/http.ts";
import type { Alarm, Scope } from "../lib/scope.ts";
import { pauseAfter } from "../outbox/batch.ts";

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

export async function retrying<T>(work: () => Promise<T>, { scope, onFailure, isFinal, alarm }: Retry): Promise<T> {
  for (let failures = 1; !scope.disposed; failures += 1) {
    try {
      return await work();
    } catch (error) {
      if (isFinal?.(error)) throw error;
      if (!scope.disposed) onFailure(error);
    }
    await alarm.wait(scope, pauseAfter(failures));
  }
  return never; // the page is gone; nobody waits for this any more
}
