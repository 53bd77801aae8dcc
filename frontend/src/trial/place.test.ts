import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionSummary, TrialPage } from "./contract.ts";
import { pageOf } from "./fakePages.ts";
import { answeredOf, attention, partOf, turnBefore, whereText } from "./place.ts";

const words = (word: string) => ({ language: "en", question: "?", attend: "", word, anchors: [] });
const labels = { SIG: words("SPEECH"), BAK: words("BACKGROUND"), OVRL: words("OVERALL") };

function threefold(session: number, number: number, order: string[]): TrialPage {
  const part = ((number - 1) % 3) + 1;
  const page = { ask: [order[part - 1] as string], part, order };
  return pageOf(`${session}-${number}`, {}, { session, place: { number, of: 120 }, page, labels });
}

const speechFirst = ["SIG", "BAK", "OVRL"];
const backgroundFirst = ["BAK", "SIG", "OVRL"];
const sessions: SessionSummary[] = [0, 1, 2, 3, 4].map((session) => ({
  session,
  total: 120,
  answered: session < 2 ? 120 : 0,
  seconds_left: 0,
  rest_before: session > 0,
}));

test("clips are counted, not the three times that each is heard", () => {
  assert.equal(whereText(threefold(2, 1, speechFirst), sessions), "Session 2 of 4, clip 1 of 40");
  assert.equal(whereText(threefold(2, 120, speechFirst), sessions), "Session 2 of 4, clip 40 of 40");
  assert.equal(whereText(threefold(0, 4, speechFirst), sessions), "Practice, clip 2 of 40");
  assert.deepEqual(partOf(threefold(2, 5, speechFirst)), { part: 2, parts: 3 });
});

test("a page is named as on the first page: a clip, a pair, a comparison", () => {
  const sound = { url: "", duration_s: 1, sliced: false };
  const only = [{ session: 1, total: 4, answered: 0, seconds_left: 0, rest_before: false }];
  assert.equal(whereText(pageOf("a", {}, { media: { ref: sound, rated: sound } }), only), "Pair 1 of 4");
  assert.equal(whereText(pageOf("a", {}, { media: { a: sound, b: sound, x: sound } }), only), "Comparison 1 of 4");
});

test("what is answered here and not sent yet counts, practice does not", () => {
  assert.equal(answeredOf(sessions, [], 3), 40);
  const unsent = [threefold(0, 1, speechFirst), ...[1, 2, 3].map((number) => threefold(2, number, speechFirst))];
  assert.equal(answeredOf(sessions, unsent.slice(0, 3), 3), 40); // of the next clip a third is missing
  assert.equal(answeredOf(sessions, unsent, 3), 41);
  assert.equal(answeredOf(sessions, unsent, 1), 123);
});

test("a visit of one session does not speak of sessions", () => {
  const only = [{ session: 1, total: 4, answered: 0, seconds_left: 0, rest_before: false }];
  assert.equal(whereText(pageOf("a"), only), "Clip 1 of 4");
  assert.deepEqual(partOf(pageOf("a")), { part: 1, parts: 1 });
});

test("a page that asks one scale of several says which, with a pattern of its own", () => {
  assert.equal(attention(threefold(1, 2, speechFirst))?.words.word, "BACKGROUND");
  assert.equal(attention(threefold(1, 2, speechFirst))?.pattern, 2);
  assert.equal(attention(pageOf("a")), undefined);
});

test("a new session is a break, and its change of order is announced there", () => {
  const last = threefold(2, 120, speechFirst);
  assert.deepEqual(turnBefore(threefold(3, 1, speechFirst), last, sessions), { kind: "session", order: "" });
  const changed = turnBefore(threefold(3, 1, backgroundFirst), last, sessions);
  assert.deepEqual(changed, { kind: "session", order: "From now on you rate the BACKGROUND first, then the SPEECH." });
});

test("a short practice ends with a word and no rest, for those who come back there too; a long one is a session", () => {
  const short = sessions.map((one) => ({ ...one, answered: one.session ? 0 : 120, rest_before: one.session > 1 }));
  const last = threefold(0, 12, speechFirst);
  assert.deepEqual(turnBefore(threefold(1, 1, speechFirst), last, short), { kind: "practice", order: "" });
  assert.equal(turnBefore(threefold(1, 1, speechFirst), null, short)?.kind, "practice");
  assert.equal(turnBefore(threefold(1, 1, speechFirst), last, sessions)?.kind, "session");
});

test("a change of order inside a session is announced by itself", () => {
  const last = threefold(0, 72, speechFirst);
  const turn = turnBefore(threefold(0, 73, backgroundFirst), last, sessions);
  assert.deepEqual(turn, { kind: "order", order: "From now on you rate the BACKGROUND first, then the SPEECH." });
  assert.equal(turnBefore(threefold(0, 73, speechFirst), last, sessions), null);
});

test("a participant who comes back between two sessions finds the break, inside a session nothing", () => {
  assert.equal(turnBefore(threefold(2, 1, speechFirst), null, sessions)?.kind, "session");
  assert.equal(turnBefore(threefold(1, 7, speechFirst), null, sessions), null);
  assert.equal(
    turnBefore(pageOf("a"), null, [{ session: 1, total: 4, answered: 0, seconds_left: 0, rest_before: false }]),
    null,
  );
});

test("after an example, or where a draft was left, the visit goes on without a break", () => {
  const worked = (change: Partial<TrialPage> = {}) => pageOf("t", {}, { session: 1, example: true, ...change });
  const sessions = [0, 1, 2].map((session) => ({
    session,
    total: 1,
    answered: 0,
    seconds_left: 60,
    rest_before: session > 1,
  }));
  const example = pageOf("x", {}, { session: 0, example: true });
  assert.equal(turnBefore(worked(), example, sessions), null);
  assert.equal(turnBefore(worked(), null, sessions), null);
  assert.equal(turnBefore(worked({ session: 2, draft: "half" }), null, sessions), null);
  assert.notEqual(turnBefore(worked({ session: 2 }), null, sessions), null);
});
