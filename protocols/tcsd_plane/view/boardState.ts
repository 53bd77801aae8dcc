// State of the plane without a page: where each cross stands, which one is chosen, undo and redo, and the recorded moves.
import { History, type Trail } from "../../../frontend/src/workspace/history.ts";
import type { Cross, Crosses, Input, Move, Place, Token } from "./contract.ts";
import { type Axis, alignedWith, tentativeAt, tentativeTokens } from "./crosses.ts";
import { CENTRE, placeOf } from "./geometry.ts";

/** What else is kept of a move: how large the square was, whether figures could be seen, and when it was. */
export type MoveFacts = Pick<Move, "plane_px" | "numbers" | "at_ms">;

/** Where crosses go to; null is the tray. */
type Changes = Readonly<Record<Token, Cross | null>>;

/** Where all crosses stand, and which of them the step to this state was about. */
interface Placement {
  crosses: Crosses;
  changed: Token[];
}

type PlacementTrail = Trail<Placement>;

/** Undo history of crosses with the record of every move that is sent. */
export class MoveHistory {
  readonly #tokens: readonly Token[];
  readonly #facts: () => MoveFacts;
  readonly #history: History<Placement>;
  #moves: Move[] = [];

  constructor(tokens: readonly Token[], crosses: Crosses, facts: () => MoveFacts) {
    this.#tokens = tokens;
    this.#facts = facts;
    this.#history = new History({ crosses: this.#ordered(crosses), changed: [] });
  }

  /** Those on the plane, in the order of their numbers. */
  get crosses(): Crosses {
    return this.#history.now.crosses;
  }

  get canUndo(): boolean {
    return this.#history.canUndo;
  }

  get canRedo(): boolean {
    return this.#history.canRedo;
  }

  /** Make a step. A key that is held down goes on with the step that it began. */
  make(after: Changes, input: Input, held = false): void {
    const changed = Object.keys(after);
    const next = { crosses: this.#ordered({ ...this.crosses, ...after }), changed };
    if (held && this.canUndo && this.#history.now.changed.join() === changed.join()) {
      this.#history.amend(next);
      if (this.#moves.length >= changed.length) this.#moves.splice(-changed.length);
    } else {
      this.#history.make(next);
    }
    this.#record(changed, input);
  }

  undo(): Token[] {
    const { changed } = this.#history.now;
    return this.#history.undo() ? this.#record(changed, "undo") : [];
  }

  redo(): Token[] {
    return this.#history.redo() ? this.#record(this.#history.now.changed, "redo") : [];
  }

  /** The moves since the last time they were taken. */
  takeMoves(): Move[] {
    return this.#moves.splice(0);
  }

  get trail(): PlacementTrail {
    return this.#history.trail;
  }

  /** Take up an earlier page's trail, if it leads to where the crosses stand now. */
  resume(trail: PlacementTrail): void {
    const { crosses } = trail.now;
    if (this.#tokens.every((token) => sameCross(crosses[token], this.crosses[token]))) this.#history.resume(trail);
  }

  #ordered(changes: Changes): Crosses {
    return Object.fromEntries(
      this.#tokens.flatMap((token) => {
        const cross = changes[token];
        return cross ? [[token, cross]] : [];
      }),
    );
  }

  #record(tokens: Token[], input: Input): Token[] {
    const facts = this.#facts();
    for (const slot of tokens) {
      const cross = this.crosses[slot];
      const to: Move["to"] = cross ? [cross.tc, cross.sd] : null;
      this.#moves.push({ slot, to, decided: cross?.decided ?? false, input, ...facts });
    }
    return tokens;
  }
}

function sameCross(one: Cross | undefined, other: Cross | undefined): boolean {
  if (!one || !other) return one === other;
  return one.tc === other.tc && one.sd === other.sd && one.decided === other.decided;
}

const PREFIX = "earmark-undo:";

/** Undo history kept in this tab, so that it survives a reload. The crosses themselves are kept by the server. */
export function recallTrail(name: string): PlacementTrail | null {
  try {
    return JSON.parse(sessionStorage.getItem(PREFIX + name) ?? "null") as PlacementTrail | null;
  } catch {
    return null; // without storage there is nothing to undo after a reload
  }
}

export function rememberTrail(name: string, trail: PlacementTrail): void {
  try {
    sessionStorage.setItem(PREFIX + name, JSON.stringify(trail));
  } catch {
    // A full or forbidden storage costs undo after a reload, and nothing else.
  }
}

/** A change of the state, for drawing, announcing and saving. */
export type News =
  | { what: "looks" } // nothing to keep
  | { what: "chosen"; byHand: boolean }
  | { what: "caret"; axis: Axis }
  | { what: "moved"; tokens: Token[]; axis: Axis | null };

/** State of the plane: which cross is chosen and where each stands. It knows nothing of the page. */
export class BoardState {
  readonly tokens: readonly Token[];
  readonly #history: MoveHistory;
  readonly #alone: boolean;
  readonly #carets = new Map<Token, Place>();
  readonly #listeners: ((news: News) => void)[] = [];
  #selected: Token | null = null;
  #asking: Axis | null = null;
  #carried: { token: Token; at: Place } | null = null;

  /** What was touched last; a button pressed by Enter is a key's work. */
  lastInput: "pointer" | "keys" = "pointer";

  /** `alone`: a summary is placed before the crosses of the others are seen. */
  constructor(tokens: readonly Token[], crosses: Crosses, facts: () => MoveFacts, alone = false) {
    this.tokens = tokens;
    this.#alone = alone;
    this.#history = new MoveHistory(tokens, crosses, facts);
  }

  onNews(listener: (news: News) => void): void {
    this.#listeners.push(listener);
  }

  get crosses(): Crosses {
    return this.#history.crosses;
  }

  get selected(): Token | null {
    return this.#selected;
  }

  /** The axis for which a number is to be named: "same SD as" waits for it. */
  get asking(): Axis | null {
    return this.#asking;
  }

  /** Those that may be seen now: all, or only the chosen one while it is being placed for the first time. */
  get visible(): Crosses {
    const placing = this.#carried?.token ?? this.#selected;
    return this.#alone && placing !== null && !this.crosses[placing] ? {} : this.crosses;
  }

  /** Under the pointer and not put down yet. */
  get carried(): { token: Token; at: Place } | null {
    return this.#carried;
  }

  get canUndo(): boolean {
    return this.#history.canUndo;
  }

  get canRedo(): boolean {
    return this.#history.canRedo;
  }

  get trail(): PlacementTrail {
    return this.#history.trail;
  }

  resume(trail: PlacementTrail): void {
    this.#history.resume(trail);
    this.#tell({ what: "looks" });
  }

  takeMoves(): Move[] {
    return this.#history.takeMoves();
  }

  /** Where Enter would put a cross that still lies in the tray: the middle, until keys or ranges say otherwise. */
  caretOf(token: Token): Place {
    return this.#carets.get(token) ?? CENTRE;
  }

  choose(token: Token | null, byHand = true): void {
    const known = token !== null && this.tokens.includes(token) ? token : null;
    this.#asking = null;
    const other = known !== this.#selected;
    if (other) this.#carried = null;
    this.#selected = known;
    this.#tell(other ? { what: "chosen", byHand } : { what: "looks" });
  }

  carry(token: Token, at: Place): void {
    this.#carried = { token, at };
    this.#tell({ what: "looks" });
  }

  /** Put down nothing: what was carried is where it was. */
  drop(): void {
    if (!this.#carried) return;
    this.#carried = null;
    this.#tell({ what: "looks" });
  }

  put(token: Token, place: Place, input: Input): void {
    this.#carried = null;
    this.#set(token, tentativeAt(place), input, null);
  }

  /** Along one axis; what is not placed yet takes its caret along, and is placed by Enter. */
  nudge(token: Token, axis: Axis, by: number, held = false): void {
    const cross = this.crosses[token];
    this.slide(token, axis, (cross ?? this.caretOf(token))[axis] + by, "keys", held);
  }

  slide(token: Token, axis: Axis, value: number, input: Input, held = false): void {
    const cross = this.crosses[token];
    const from = cross ?? this.caretOf(token);
    const to = placeOf(axis === "tc" ? value : from.tc, axis === "sd" ? value : from.sd);
    if (cross) {
      this.#set(token, tentativeAt(to), input, axis, held);
    } else {
      this.#carets.set(token, to);
      this.#tell({ what: "caret", axis });
    }
  }

  /** Place what lies in the tray, decide what is tentative. */
  settle(token: Token, input: Input): void {
    const cross = this.crosses[token];
    this.#set(token, cross ? { ...cross, decided: true } : tentativeAt(this.caretOf(token)), input, null);
  }

  lift(token: Token, input: Input): void {
    if (this.crosses[token]) this.#set(token, null, input, null);
  }

  /** Wait for the number of another cross, or stop waiting. */
  ask(axis: Axis | null): void {
    const possible = this.#selected !== null && this.crosses[this.#selected] !== undefined;
    this.#asking = possible ? axis : null;
    this.#tell({ what: "looks" });
  }

  align(other: Token, axis: Axis): void {
    this.#asking = null;
    const token = this.#selected;
    const aligned = token && alignedWith(this.crosses, token, other, axis);
    if (token && aligned) this.#set(token, aligned, "same", axis);
    else this.#tell({ what: "looks" });
  }

  undo(): void {
    this.#tellMoved(this.#history.undo());
  }

  redo(): void {
    this.#tellMoved(this.#history.redo());
  }

  decideAll(): void {
    const { crosses } = this;
    const open = tentativeTokens(crosses);
    if (!open.length) return;
    const decided = open.map((token) => [token, { ...(crosses[token] as Cross), decided: true }]);
    this.#history.make(Object.fromEntries(decided), this.lastInput);
    this.#tellMoved(open);
  }

  #set(token: Token, after: Cross | null, input: Input, axis: Axis | null, held = false): void {
    const moves = changes(this.crosses[token], after);
    this.#asking = null;
    if (moves) this.#history.make({ [token]: after }, input, held);
    this.#tell(moves ? { what: "moved", tokens: [token], axis } : { what: "looks" });
  }

  #tellMoved(tokens: Token[]): void {
    const [only] = tokens;
    if (tokens.length === 1 && only) this.#selected = only; // what moved by itself should be seen
    if (tokens.length) this.#tell({ what: "moved", tokens, axis: null });
  }

  #tell(news: News): void {
    for (const listener of this.#listeners) listener(news);
  }
}

/** A cross that is pushed against the edge, or put down where it was, has not moved and stays decided. */
function changes(before: Cross | undefined, after: Cross | null): boolean {
  if (!before || !after) return true;
  return before.tc !== after.tc || before.sd !== after.sd || (after.decided && !before.decided);
}
