// Every move of every cross: where all of them stand, the way back to the beginning, and the record that is sent.
import type { Cross, Crosses, Input, Move, Token } from "./contract.ts";

/** What else is kept of a move: how large the square was, whether figures could be seen, and when it was. */
export type Facts = Pick<Move, "plane_px" | "numbers" | "at_ms">;

/** Where crosses go to; null is the tray. */
export type Changes = Readonly<Record<Token, Cross | null>>;

/** Something that is undone at once. */
export interface Step {
  before: Changes;
  after: Changes;
}

/** As much as is needed to go back after the page was loaded again. */
export interface Trail {
  start: Crosses;
  done: Step[];
  undone: Step[];
}

export class History {
  readonly #tokens: readonly Token[];
  readonly #facts: () => Facts;
  #start: Crosses;
  #now: Map<Token, Cross>;
  #done: Step[] = [];
  #undone: Step[] = [];
  #moves: Move[] = [];

  constructor(tokens: readonly Token[], crosses: Crosses, facts: () => Facts) {
    this.#tokens = tokens;
    this.#facts = facts;
    this.#start = crosses;
    this.#now = new Map(Object.entries(crosses).filter(([token]) => tokens.includes(token)));
  }

  /** Those on the plane, in the order of their numbers. */
  get crosses(): Crosses {
    return Object.fromEntries(
      this.#tokens.flatMap((token) => {
        const cross = this.#now.get(token);
        return cross ? [[token, { ...cross }]] : [];
      }),
    );
  }

  get canUndo(): boolean {
    return this.#done.length > 0;
  }

  get canRedo(): boolean {
    return this.#undone.length > 0;
  }

  /** Make a step. A key that is held down goes on with the step that it began. */
  make(after: Changes, input: Input, held = false): void {
    const last = this.#done.at(-1);
    this.#undone = [];
    if (held && last && sameTokens(last.after, after)) {
      last.after = after;
      if (this.#moves.length >= Object.keys(after).length) this.#moves.splice(-Object.keys(after).length);
    } else {
      this.#done.push({ before: this.#standing(after), after });
    }
    this.#go(after, input);
  }

  undo(): Token[] {
    const step = this.#done.pop();
    if (!step) return [];
    this.#undone.push(step);
    return this.#go(step.before, "undo");
  }

  redo(): Token[] {
    const step = this.#undone.pop();
    if (!step) return [];
    this.#done.push(step);
    return this.#go(step.after, "redo");
  }

  /** The moves since the last time they were taken. */
  takeMoves(): Move[] {
    return this.#moves.splice(0);
  }

  get trail(): Trail {
    return { start: this.#start, done: this.#done, undone: this.#undone };
  }

  /** Take up an earlier page's trail, if it leads to where the crosses stand now. */
  resume({ start, done, undone }: Trail): void {
    const end: Changes = Object.assign({}, start, ...done.map((step) => step.after));
    const arrives = this.#tokens.every((token) => sameCross(end[token] ?? null, this.#now.get(token) ?? null));
    if (!arrives) return;
    this.#start = start;
    this.#done = [...done];
    this.#undone = [...undone];
  }

  #standing(changes: Changes): Changes {
    return Object.fromEntries(Object.keys(changes).map((token) => [token, this.#now.get(token) ?? null]));
  }

  #go(changes: Changes, input: Input): Token[] {
    const facts = this.#facts();
    for (const [slot, cross] of Object.entries(changes)) {
      if (cross) this.#now.set(slot, cross);
      else this.#now.delete(slot);
      const to: Move["to"] = cross && [cross.tc, cross.sd];
      this.#moves.push({ slot, to, decided: cross?.decided ?? false, input, ...facts });
    }
    return Object.keys(changes);
  }
}

function sameTokens(one: Changes, other: Changes): boolean {
  return Object.keys(one).join() === Object.keys(other).join();
}

function sameCross(one: Cross | null, other: Cross | null): boolean {
  if (!one || !other) return one === other;
  return one.tc === other.tc && one.sd === other.sd && one.decided === other.decided;
}
