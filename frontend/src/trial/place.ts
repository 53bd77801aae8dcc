// Place of a page in the visit, and what changes between it and the page before. Pure.
import { fill, gettext } from "../lib/i18n.ts";
import type { ScaleWords, SessionSummary, TrialPage } from "./contract.ts";

/** The order in which a clip is rated, where the protocol plays it once for every scale. */
function orderOf(page: TrialPage): string[] {
  return Array.isArray(page.page.order) ? (page.page.order as string[]) : [];
}

/** How often the clip was heard with this time, and how often it is heard in all. */
export function partOf(page: TrialPage): { part: number; parts: number } {
  const parts = Math.max(orderOf(page).length, 1);
  return { part: typeof page.page.part === "number" ? page.page.part : 1, parts };
}

/** What a page asks about, by its sounds: a clip, a pair with a reference, or several sounds that are compared. */
function wordings(sounds: number): { practice: string; alone: string; inSession: string } {
  if (sounds < 2)
    return {
      practice: gettext("Practice, clip {clip} of {clips}"),
      alone: gettext("Clip {clip} of {clips}"),
      inSession: gettext("Session {session} of {sessions}, clip {clip} of {clips}"),
    };
  if (sounds === 2)
    return {
      practice: gettext("Practice, pair {clip} of {clips}"),
      alone: gettext("Pair {clip} of {clips}"),
      inSession: gettext("Session {session} of {sessions}, pair {clip} of {clips}"),
    };
  return {
    practice: gettext("Practice, comparison {clip} of {clips}"),
    alone: gettext("Comparison {clip} of {clips}"),
    inSession: gettext("Session {session} of {sessions}, comparison {clip} of {clips}"),
  };
}

export function whereText(page: TrialPage, sessions: readonly SessionSummary[]): string {
  const { parts } = partOf(page);
  const clip = Math.ceil(page.place.number / parts);
  const clips = Math.ceil(page.place.of / parts);
  const rated = sessions.filter(({ session }) => session > 0).length;
  const values = { clip, clips, session: page.session, sessions: rated };
  const { practice, alone, inSession } = wordings(Object.keys(page.media).length);
  return fill(page.session === 0 ? practice : rated > 1 ? inSession : alone, values);
}

/** How many clips are answered of those that count: by what the server has, and what is still on its way there. */
export function answeredOf(
  sessions: readonly SessionSummary[],
  unsent: readonly TrialPage[],
  pagesEach: number,
): number {
  const counts = ({ session }: { session: number }) => session > 0;
  const known = sessions.filter(counts).reduce((sum, { answered }) => sum + answered, 0);
  return Math.floor((known + unsent.filter(counts).length) / pagesEach);
}

/** The words of the one scale that a page asks for, with its place among all scales; none where a page asks for several. */
export function attention(page: TrialPage): { words: ScaleWords; pattern: number } | undefined {
  const ask = Array.isArray(page.page.ask) ? (page.page.ask as string[]) : [];
  const words = ask.length === 1 ? page.labels[ask[0] as string] : undefined;
  return words?.word ? { words, pattern: Object.keys(page.labels).indexOf(ask[0] as string) + 1 } : undefined;
}

/** What must be said before a page: a session begins, or the scales come in another order from now on. */
export interface Turn {
  kind: "session" | "practice" | "order";
  order: string;
}

export function turnBefore(page: TrialPage, last: TrialPage | null, sessions: readonly SessionSummary[]): Turn | null {
  const order = last && sameOrder(page, last) ? "" : orderSentence(page);
  if (page.example && last?.session === 0) return null;
  const own = sessions.find(({ session }) => session === page.session);
  if (last ? last.session !== page.session : beginsLaterSession(page, sessions))
    return { kind: own?.rest_before ? "session" : "practice", order };
  return last && order ? { kind: "order", order } : null;
}

function sameOrder(page: TrialPage, other: TrialPage): boolean {
  return orderOf(page).join() === orderOf(other).join();
}

function orderSentence(page: TrialPage): string {
  const [first, second] = orderOf(page).map((scale) => page.labels[scale]?.word ?? scale);
  return first && second
    ? fill(gettext("From now on you rate the {first} first, then the {second}."), { first, second })
    : "";
}

/** Whether a participant comes back exactly where a later session begins, and so finds the break. */
function beginsLaterSession(page: TrialPage, sessions: readonly SessionSummary[]): boolean {
  const own = sessions.find(({ session }) => session === page.session);
  const earlier = sessions.some(({ session }) => session < page.session && (session > 0 || !page.example));
  return earlier && own?.answered === 0 && page.draft === null; // a draft there means that the break is over
}
