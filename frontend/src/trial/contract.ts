// What the server hands to a page, and what a protocol's view must offer. A view is static/dist/view-<name>.js.
import type { Scope } from "../lib/scope.ts";
import type { Json } from "../outbox/events.ts";
import type { Player } from "../player/player.ts";
import type { Keys } from "./keys.ts";

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
  view: string;
  plays_allowed: number;
  /** Which page of its session this is. */
  place: { number: number; of: number };
  options: { layout?: string; auto_confirm?: boolean };
  page: { [key: string]: Json };
  media: Record<string, { url: string; duration_s: number }>;
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
