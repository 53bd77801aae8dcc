import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem, Unreachable } from "../lib/http.ts";
import type { Clip } from "../player/player.ts";
import type { TrialPage } from "./contract.ts";
import { pageOf } from "./fakePages.ts";
import { Clips, TrialQueue } from "./queue.ts";

const names = (queue: TrialQueue) => queue.pages.map(({ trial }) => trial);

test("an answer that the server does not know yet is not asked for again", () => {
  const queue = new TrialQueue();
  queue.merge([pageOf("a"), pageOf("b")]);
  queue.markAnswered("a");
  const unsent = queue.merge([pageOf("a"), pageOf("b"), pageOf("c")]);
  assert.deepEqual(names(queue), ["b", "c"]);
  assert.deepEqual(
    unsent.map(({ trial }) => trial),
    ["a"],
  );
});

test("a refused answer's trial comes again, in its place", () => {
  const queue = new TrialQueue();
  queue.markAnswered("a");
  queue.reopen("a");
  queue.merge([pageOf("a"), pageOf("b")]);
  assert.equal(queue.first?.trial, "a");
});

test("a trial answered on another device disappears with the server's next list", () => {
  const queue = new TrialQueue();
  queue.merge([pageOf("a"), pageOf("b")]);
  queue.merge([pageOf("b"), pageOf("c")]);
  assert.deepEqual(names(queue), ["b", "c"]);
});

test("a postponed trial makes room for the next and comes back where the server puts it", () => {
  const queue = new TrialQueue();
  queue.merge([pageOf("a"), pageOf("b")]);
  queue.postpone("a");
  assert.equal(queue.first?.trial, "b");
  queue.merge([pageOf("b"), pageOf("c"), pageOf("a")]);
  assert.deepEqual(names(queue), ["b", "c", "a"]);
});

test("a page that was worked on from another page goes on from that step", () => {
  const queue = new TrialQueue();
  queue.merge([pageOf("a"), pageOf("b", {}, { revision: 3 })]);
  queue.stepped(pageOf("b", {}, { revision: 3 }), "half");
  assert.deepEqual([queue.find("b")?.revision, queue.find("b")?.draft], [4, "half"]);
  assert.equal(queue.find("a")?.revision, 0);
});

function page(trial: string, key: string): TrialPage {
  return pageOf(trial, {
    a: { url: `media/${trial}-a-${key}/`, duration_s: 1, sliced: false },
    b: { url: `media/${trial}-b-${key}/`, duration_s: 1, sliced: false },
  });
}

/** A player that knows only addresses with the valid key, and counts what it is asked for. */
class FakePlayer {
  asked: string[] = [];
  valid = "1";
  down = false;

  prepare(url: string): Promise<Clip> {
    this.asked.push(url);
    if (this.down) return Promise.reject(new Unreachable("no answer"));
    if (!url.endsWith(`-${this.valid}/`)) return Promise.reject(new Problem(410, { code: "media.expired" }));
    return Promise.resolve({ buffer: { url } as unknown as AudioBuffer, durationS: 1 });
  }
}

test("a clip that is ready is not fetched again when its address has changed", async () => {
  const player = new FakePlayer();
  const clips = new Clips(player, () => Promise.reject(new Error("not needed")));
  const first = await clips.of(page("t", "1"));
  clips.prepare([page("t", "2")]);
  const again = await clips.of(page("t", "2"));
  assert.equal(player.asked.length, 2);
  assert.equal(again.get("a"), first.get("a"));
});

test("an expired address is renewed silently", async () => {
  const player = new FakePlayer();
  player.valid = "2";
  let renewals = 0;
  const clips = new Clips(player, () => {
    renewals += 1;
    return Promise.resolve([page("other", "2"), page("t", "2")]);
  });
  const found = await clips.of(page("t", "1"));
  assert.deepEqual([...found.keys()], ["a", "b"]);
  assert.deepEqual(player.asked.slice(2).sort(), ["media/t-a-2/", "media/t-b-2/"]);
  assert.equal(renewals, 2);
});

test("a trial that is no longer ahead keeps its error", async () => {
  const player = new FakePlayer();
  player.valid = "2";
  const clips = new Clips(player, () => Promise.resolve([page("other", "2")]));
  await assert.rejects(clips.of(page("t", "1")), { status: 410 });
});

test("another failure is not a reason to renew, and the next call asks anew", async () => {
  const player = new FakePlayer();
  player.down = true;
  const clips = new Clips(player, () => Promise.reject(new Error("not needed")));
  await assert.rejects(clips.of(page("t", "1")), Unreachable);
  player.down = false;
  assert.equal((await clips.of(page("t", "1"))).size, 2);
});

test("clips that are no longer ahead are released", async () => {
  const player = new FakePlayer();
  const clips = new Clips(player, () => Promise.reject(new Error("not needed")));
  await clips.of(page("t", "1"));
  clips.prepare([page("u", "1")]);
  await clips.of(page("u", "1"));
  await clips.of(page("t", "1"));
  assert.equal(player.asked.filter((url) => url.startsWith("media/t-")).length, 4);
});
