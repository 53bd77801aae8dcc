import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { Scope } from "../../../frontend/src/lib/scope.ts";
import { FakeContext, installFakeAudio } from "../../../frontend/src/player/fakeAudio.ts";
import type { ShownPage } from "../../../frontend/src/trial/contract.ts";
import { pageOf } from "../../../frontend/src/trial/fakePages.ts";
import { FakeElement, installFakePage } from "../../../frontend/src/viewer/fakePage.ts";
import { Sound } from "./sound.ts";

const RATE_HZ = 8000;
let found = true; // whether the server has the sound

class SoundContext extends FakeContext {
  constructor() {
    super({ sampleRate: RATE_HZ });
  }

  override async decodeAudioData(bytes: ArrayBuffer) {
    return Object.assign(await super.decodeAudioData(bytes), { duration: 1 });
  }
}

beforeEach(() => {
  found = true;
  installFakePage(() => (found ? new Response(new Float32Array(RATE_HZ)) : new Response("", { status: 404 })));
  installFakeAudio();
  Object.assign(globalThis, { AudioContext: SoundContext });
  Object.defineProperty(globalThis, "navigator", { value: {}, configurable: true });
});

/** The sound of a page on which it may be played twice. */
function opened() {
  const part = {
    play: new FakeElement("button"),
    "sound-note": new FakeElement("span"),
    sound: new FakeElement("div"),
  };
  const root = { querySelector: (selector: string) => part[/=(.*)]/.exec(selector)?.[1] as keyof typeof part] };
  const media = { sound: { url: "/sound", duration_s: 1, sliced: false } };
  const page = { ...pageOf("t1", media, { plays_allowed: 2 }), keys: { onStop() {} } } as unknown as ShownPage;
  const host = { renew: async () => media };
  const sound = new Sound({ root, page, host, scope: new Scope(), plays: 0, onPlay() {} } as never);
  const press = async () => {
    sound.toggle();
    await new Promise((resolve) => setTimeout(resolve, 5));
  };
  return { sound, press, note: () => part["sound-note"].textContent };
}

test("a sound that does not load says so, and the next press tries again", async () => {
  const { sound, press, note } = opened();
  assert.equal(note(), "Plays left: 2");
  found = false;
  await press();
  assert.equal(note(), "The sound did not load. Press Play to try again, or go on without it.");
  assert.deepEqual([sound.sounding, sound.listened.plays], [false, 0]);
  found = true;
  await press();
  assert.deepEqual([sound.sounding, note()], [true, "Plays left: 1"]);
});

test("a browser that forbids sound is told apart from a sound that does not load", async () => {
  const { sound, press, note } = opened();
  Object.assign(globalThis, {
    AudioContext: class extends SoundContext {
      override state = "suspended";
    },
  });
  await press();
  assert.equal(note(), "Your browser keeps the sound off. Allow sound for this page, then press Play again.");
  assert.equal(sound.listened.plays, 0);
});
