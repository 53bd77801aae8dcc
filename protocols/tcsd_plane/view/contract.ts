// Contract of the plane's page: what it receives and what it sends; the protocol's Python is the other side.
import type { Json } from "../../../frontend/src/outbox/events.ts";

/** A summary by the key of its slot: "s1" is number 1. The full recording has the key "full". */
export type Token = string;

/** From 0 to 1, to four decimals: tc to the right, sd upwards. */
export interface Place {
  tc: number;
  sd: number;
}

/** A cross on the plane: hollow while tentative, solid once decided. What is not placed lies in the tray. */
export interface Cross extends Place {
  decided: boolean;
}

export type Crosses = Readonly<Record<Token, Cross>>;

export type Input = "pointer" | "keys" | "range" | "same" | "undo" | "redo";

/** One move of one cross, as it is kept: where to, or null for the tray. */
export interface Move {
  slot: Token;
  to: [number, number] | null;
  decided: boolean;
  input: Input;
  plane_px: number;
  /** Whether figures were on the screen when it was made. */
  numbers: boolean;
  at_ms: number;
}

export interface HourNote {
  hour: number;
  present: string[];
  note: string;
}

/** A probe that the rater put somewhere else: at a share (0 to 1) of its fifth of the hour. */
export interface OwnProbe {
  hour: number;
  number: number;
  share: number;
}

/** Everything that one recording's page holds; sent whole with every step, and given back as the page's draft. */
export interface Workspace {
  crosses: Crosses;
  moves: Move[]; // since the step before
  sources: string[];
  hours: HourNote[];
  probes: OwnProbe[];
  comment: string;
  lines: Record<Token, string>;
  listened: { full: [number, number][]; plays: Record<Token, number>; probes: string[] };
  finished: boolean;
}

/** A cross of the example, with the reason and the seconds of the full recording that it talks about. */
export interface ShownCross extends Place {
  why: string;
  hears: [number, number][];
}

/** A passage of the full recording in a summary, in seconds: where it begins there, where in the day, and its length. */
export type Passage = readonly [number, number, number];

/** The protocol's part of the page (`page.page`). */
export interface PlanePage {
  slots: string[];
  /** Where each probe begins, by hour and number, as a share of its fifth of the hour; empty where the rater puts them. */
  probes: number[][];
  /** Whether the crosses of the others are seen while the chosen summary is not placed yet. */
  others?: "shown" | "after_placing";
  /** Not rated: crosses with reasons, by token. */
  example: Record<Token, ShownCross> | null;
  /** What each summary was made of, in its order; only of those that have a cue sheet. */
  passages?: Record<Token, Passage[]>;
}

export interface BoardOptions {
  tokens: readonly Token[];
  crosses: Crosses; // as they stood when the page was left
  /** An example: crosses stand where they are and give their reasons. */
  shown?: Readonly<Record<Token, ShownCross>> | undefined;
  play(token: Token): void;
  /** Play these seconds of the full recording; an example's reasons talk about them. */
  hear?: ((range: readonly [number, number]) => void) | undefined;
  /** How the page calls a stretch of the full recording, by the clock of the place where it was made. */
  nameStretch?: ((range: readonly [number, number]) => string) | undefined;
  /** The name under which this tab keeps the undo history, so that undo also works after a reload. */
  memory?: string | undefined;
  /** The others are not shown while the chosen summary lies in the tray. */
  alone?: boolean | undefined;
  /** Whether a summary was played; unless said, all were. */
  heard?: ((token: Token) => boolean) | undefined;
  /** Make sure that the plane can be seen. */
  reveal?: (() => void) | undefined;
  /** Something changed by hand: a cross, or which one is chosen. */
  changed(): void;
}

/** The plane with its tray, list and commands. */
export interface Board {
  readonly crosses: Crosses;
  readonly selected: Token | null;
  select(token: Token | null): void;
  /** Show the plane and put the keyboard on it. */
  focus(): void;
  draw(): void;
  /** The moves since the last time they were taken. */
  takeMoves(): Move[];
  /** Make every tentative cross decided, as one step that can be undone. */
  decideAll(): void;
}

export function readDraft(draft: Json): Partial<Workspace> {
  return typeof draft === "object" && draft !== null && !Array.isArray(draft) ? (draft as Partial<Workspace>) : {};
}
