// Contract between the server, the visit's page and the view of a protocol, which is static/dist/view-<name>.js.
import type { Scope } from "../lib/scope.ts";
import type { Heard, Json, Listened } from "../outbox/events.ts";
import type { Clip, Player } from "../player/player.ts";
import type { Keys } from "./keys.ts";
import type { Screen } from "./screen.ts";

export interface VisitConfig {
  api: string;
  csrf: string;
  seat: string;
  total: number;
  /** The rest that is suggested between two sessions. */
  rest_s: number;
  level_check: boolean;
  /** Whether answers may be changed until everything is handed in. */
  revisable: boolean;
  /** How many pages each clip has, or whatever the protocol counts. */
  pages_each: number;
  /** The sentence for those who come back, in which only {answered} is left to fill. */
  answered_of: string;
  shortcuts?: boolean;
}

export interface ScaleWords {
  language: string; // of the words, which may differ from the page's
  question: string;
  attend: string;
  word: string; // what the scale is about, where several take turns; else empty
  anchors: { value: number; label: string }[]; // best first
}

/** One trial as the server presents it; `page` is the protocol's own part. */
export interface TrialPage {
  trial: string;
  position: number;
  session: number;
  kind: string;
  revision: number;
  /** The newest answer, where it is not a whole one yet: the page goes on from there. */
  draft: Json;
  /** Whether the newest answer is a whole one. */
  answered: boolean;
  view: string;
  /** Whether the answer is kept in drafts. A practice page is then an example to look at, and no break follows it. */
  example: boolean; // practice is a worked example
  plays_allowed: number;
  /** Which page of its session this is. */
  place: { number: number; of: number };
  /** Options of the experiment that the protocol declares for its page. */
  options: Record<string, Json>;
  page: { [key: string]: Json };
  /** `sliced`: too long for one clip; the viewer fetches what it needs of it beneath the address. */
  media: Record<string, { url: string; duration_s: number; sliced: boolean }>;
  /** What is read instead of heard, by slot. */
  texts: Record<string, { text: string; tokens: string[] | null; language?: string }>;
  labels: Record<string, ScaleWords>;
}

/** One session of the visit; number 0 is practice. */
export interface SessionSummary {
  session: number;
  total: number;
  answered: number;
  seconds_left: number;
  rest_before: boolean;
}

/** How far a participant has come, practice left out. */
export interface VisitProgress {
  answered: number;
  /** Whether there is anything to come back to, be it practice or a page that is half done. */
  begun: boolean;
}

export interface Upcoming {
  trials: TrialPage[];
  sessions: SessionSummary[];
  /** A short fingerprint of everything that the server holds of this visit. */
  receipt: string;
  answered: number;
  total: number;
  finished: boolean;
}

/** What a view receives: the page, and the keyboard that the whole screen shares. */
export type ShownPage = TrialPage & { keys: Keys };

/** What the visit's page offers to a view. */
export interface WorkspaceHost {
  readonly sessions: readonly SessionSummary[];
  /** Show the protocol's own markup (the content of `<template id="protocol-page">`) at full width; returns its place. */
  showWorkspace(): HTMLElement;
  /** Show the page with one Play button, or a view's own controls in its place, above a form; `gatedForm` runs the former. */
  showTrial(): TrialFrame;
  /** A change was made that is not kept yet: the page does not say "saved" before the returned function is called. */
  changing(): () => void;
  /** Keep a step: safe on this device at once, on the server as soon as possible, and in this order. */
  keep(payload: Json, listened: Listened): void;
  /** Close the page with a whole answer; resolves when that is safe. */
  finish(payload: Json, heard: Heard | Listened): Promise<void>;
  /** The page's sounds under fresh addresses, because addresses expire. */
  renew(): Promise<TrialPage["media"]>;
  /** Every page with the answers that were given, where they may be changed until they are handed in. */
  pages(): Promise<TrialPage[]>;
  /** Leave this page for another one; what was kept stays kept. */
  turnTo(trial: string): void;
  /** Leave a page that was answered before as it is; nothing is stored. */
  goOn(): void;
  /** Where the keyboard goes on when a dialog has closed, so that Space plays and does not open the dialog again. */
  resumeAt(focus: () => void): void;
  /** Answer another page from here, as a grid does; resolves when that is safe. */
  answer(page: TrialPage, payload: Json, listened: Listened, whole: boolean): Promise<void>;
  /** Show a sentence that concerns the whole page, until the next one replaces it. */
  notice(sentence: string): void;
}

/** Parts of the page of a trial: where sound is played, the form below, and the way on. */
export interface TrialFrame {
  screen: Pick<
    Screen,
    | "play"
    | "next"
    | "previous"
    | "view"
    | "showPhase"
    | "showControls"
    | "markup"
    | "nameSound"
    | "note"
    | "focus"
    | "explain"
    | "offerNext"
    | "explainNext"
    | "offerPrevious"
    | "offerProblem"
  >;
  player: Player;
  /** The page's clips by slot, fetched and decoded. */
  clips: Promise<ReadonlyMap<string, Clip>>;
  /** The answer that is opened again; the page then only takes another one. */
  already?: Revision;
  /** Open the answer before this one again, where that can still be done. */
  reopen?: () => void;
}

/** An answer that was given before and may be changed. */
export interface Revision {
  answer: Json;
  /** What was heard before it was given. */
  heard: Heard;
  /** Leave the answer as it is and go on; nothing is stored. */
  keep: () => void;
}

/** A protocol's view. It decides what is played and when an answer is whole; the host owns saving, sessions and going on. */
export interface ProtocolView {
  open(host: WorkspaceHost, page: ShownPage, scope: Scope): void;
  /** Whether whole clips are fetched and decoded before the page's turn. */
  clipsAhead?: boolean;
  /** Fetch what the next page shows first, before it is opened. What fails here is asked for again by the page itself. */
  prepare?(page: TrialPage, signal: AbortSignal): Promise<void>;
  /** What a page is called in the review before everything is handed in. */
  pageName?(n: number, of: number): string;
}
