// Where a clip stands: in its block, and among all clips of the visit. Pure.
import type { SessionSummary, TrialPage } from "../../../frontend/src/trial/contract.ts";

export interface Place {
  /** Block 1, 2, ... and of how many; the example is no block. */
  block: number;
  blocks: number;
  /** Among all clips. */
  number: number;
  of: number;
}

export function placeAmong(page: Pick<TrialPage, "session" | "place">, sessions: readonly SessionSummary[]): Place {
  const blocks = sessions.filter(({ session }) => session > 0).sort((one, other) => one.session - other.session);
  const before = blocks.filter(({ session }) => session < page.session);
  const sum = (some: readonly SessionSummary[]) => some.reduce((total, block) => total + block.total, 0);
  return {
    block: before.length + 1,
    blocks: blocks.length,
    number: sum(before) + page.place.number,
    of: sum(blocks),
  };
}
