// What the server hands to a page, and what a protocol's view must offer. A view is static/dist/view-<name>.js.
import type { Scope } from "../lib/scope.ts";
import type { Json, Listened } from "../outbox/events.ts";
import type { Player } from "../player/player.ts";
import type { Keys } from "./keys.ts";

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
  /** Worked on, and not heard through: the view is a WorkspaceView. */
  workspace: boolean;
  plays_allowed: number;
  /** Which page of its session this is. */
  place: { number: number; of: number };
  options: { layout?: string; auto_confirm?: boolean };
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

export interface AnswerForm {
  /** The payload of the vote, or undefined while it is incomplete. */
  answer(): Json | undefined;
  onChange(listener: () => void): void;
}

/** The page, not the view, owns playing, the hearing gate, saving and going on. While the gate is closed the view stands
 * in a disabled fieldset: native controls close by themselves, and everything else must ask `root.matches(":disabled *")`. */
export interface ProtocolView {
  mount(root: HTMLElement, page: ShownPage, player: Player, scope: Scope): AnswerForm;
}

/** What a page that is worked on may ask for. */
export interface Desk {
  readonly sessions: readonly SessionSummary[];
  /** The markup that the server made for this protocol: the content of `<template id="protocol-page">`. */
  readonly markup: DocumentFragment;
  /** Something was done that is not kept yet: nobody is told "saved" before what this gives is called. */
  changing(): () => void;
  /** Keep a step: safe on this device at once, on the server as soon as it can be, and in this order. */
  keep(payload: Json, listened: Listened): void;
  /** Close the page with a whole answer; resolves when that is safe. */
  finish(payload: Json, listened: Listened): Promise<void>;
  /** The page's sounds under fresh addresses, because addresses expire. */
  renew(): Promise<TrialPage["media"]>;
  /** Every page with the answers that were given, where they may be changed until they are handed in. */
  pages(): Promise<TrialPage[]>;
  /** Leave this page for another one; what was kept stays kept. */
  turnTo(trial: string): void;
  /** Answer another page from here, as a grid does; resolves when that is safe. */
  answer(page: TrialPage, payload: Json, listened: Listened, whole: boolean): Promise<void>;
  /** Say something that concerns the whole page, until something else is said; nothing takes it away. */
  notice(sentence: string): void;
}

/** A view that is more than a form: it has the whole width, plays what it likes, and keeps every step that is made.
 * Nothing has to be heard through, so there is no gate; the page still owns saving, sessions and going on. */
export interface WorkspaceView {
  open(root: HTMLElement, page: ShownPage, desk: Desk, scope: Scope): void;
}
