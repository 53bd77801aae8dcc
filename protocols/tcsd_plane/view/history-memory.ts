// The way back, kept in this tab: loading the page again takes no undo away. Crosses themselves are the server's matter.
import type { Trail } from "./history.ts";

const PREFIX = "earmark-way-back:";

export function recall(name: string): Trail | null {
  try {
    return JSON.parse(sessionStorage.getItem(PREFIX + name) ?? "null") as Trail | null;
  } catch {
    return null; // no storage, or not ours: there is just no way back
  }
}

export function remember(name: string, trail: Trail): void {
  try {
    sessionStorage.setItem(PREFIX + name, JSON.stringify(trail));
  } catch {
    // A full or forbidden storage costs the way back and nothing else.
  }
}
