// The step that was made while the page was being left: written down at once, because nothing else may come to its end then.
import type { Heard, Json, Listened } from "../outbox/events.ts";

/** A step, and the revision that it was made from. */
export interface Parting {
  revision: number;
  payload: Json;
  listened: Heard | Listened;
}

const keyOf = (trial: string) => `earmark-parting ${trial}`;

export function leaveNote(trial: string, parting: Parting): void {
  try {
    localStorage.setItem(keyOf(trial), JSON.stringify(parting));
  } catch {
    // Nothing can be kept on this device; what was kept before this moment stays.
  }
}

/** The step, if it never arrived: then the page still stands at the revision from which it was made. It is given once. */
export function takeNote(trial: string, revision: number): Parting | null {
  try {
    const note = localStorage.getItem(keyOf(trial));
    localStorage.removeItem(keyOf(trial));
    const parting = note === null ? null : (JSON.parse(note) as Parting);
    return parting?.revision === revision ? parting : null;
  } catch {
    return null;
  }
}
