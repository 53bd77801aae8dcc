import assert from "node:assert/strict";
import { test } from "node:test";
import { Scope } from "../lib/scope.ts";
import { FakeContext, installFakeAudio } from "../player/fakeAudio.ts";
import { openContexts } from "../player/output.ts";
import {
  answerWith,
  cancelPaint,
  DAY,
  FakeElement,
  installFakePage,
  left,
  paint,
  RATE,
  waitForPaint,
} from "./fakePage.ts";
import { mountViewer, type ViewerOptions } from "./viewer.ts";

const MANIFEST = answerWith({ clock: [{ start: 0, stop: DAY, clock_s: 0 }], silences: [[158_760_000, 158_980_500]] });
// Every text is its own key.

let asked: string[] = [];
let manifest: object = MANIFEST;
let status = 200;

function answer(url: string): Response {
  asked.push(url);
  if (status !== 200) return new Response("{}", { status });
  if (url.endsWith("manifest/")) return Response.json(manifest);
  if (url.includes("peaks")) return new Response(new Uint8Array(2000));
  if (url.includes("slice")) {
    const count = Number(new URL(url, "http://x").searchParams.get("count"));
    return new Response(new Uint8Array(count * 4), {
      headers: { "Earmark-Lead": "0", "Earmark-Length": String(count) },
    });
  }
  return new Response(new Uint8Array(100));
}

installFakePage(answer);
Object.assign(globalThis, { requestAnimationFrame: waitForPaint, cancelAnimationFrame: cancelPaint });
installFakeAudio();

// Whatever listens to anything is counted, except to a signal, which ends with its request.
let listeners = 0;
const { addEventListener, removeEventListener } = EventTarget.prototype;
EventTarget.prototype.addEventListener = function (...given) {
  if (!(this instanceof AbortSignal)) listeners += 1;
  addEventListener.apply(this, given);
};
EventTarget.prototype.removeEventListener = function (...given) {
  if (!(this instanceof AbortSignal)) listeners -= 1;
  removeEventListener.apply(this, given);
};

const breathe = () => new Promise((resolve) => setImmediate(resolve));

/** A viewer on a page of its own, whose server answers with this status until that is changed. */
function mount(first = 200, options: Partial<ViewerOptions> = {}) {
  asked = [];
  status = first;
  const root = new FakeElement("div");
  const scope = new Scope();
  return { root, scope, viewer: mountViewer(root as never, { base: "/sound/", scope, ...options }) };
}

async function mounted() {
  const { root, scope, viewer } = mount();
  await viewer.ready;
  paint();
  for (let turn = 0; turn < 10; turn += 1) await breathe();
  paint();
  return { root, scope, viewer };
}

test("the first paint asks for the manifest, the whole recording, the tiles in view and one block of peaks", async () => {
  const { scope } = await mounted();
  assert.deepEqual(asked, [
    "/sound/manifest/",
    "/sound/tiles/max/14/0/",
    "/sound/tiles/max/13/0/",
    "/sound/tiles/max/13/1/",
    "/sound/peaks/6/?start=0&count=4096",
  ]);
  scope.dispose();
});

test("it tells its figures: position, clock, how the picture was made", async () => {
  const { root, scope, viewer } = await mounted();
  viewer.goTo(30_250 * RATE);
  paint();
  assert.equal(root.find("viewer__time").textContent, "8:24:10.000");
  assert.equal(root.find("viewer__clock").textContent, "clock 08:24:10");
  assert.match(root.find("viewer__parameters").textContent, /^\w+ windows of \d+ samples .*, each column the /);
  assert.equal(root.find("viewer__position").value, String(30_250 * RATE));
  scope.dispose();
});

test("keys move, select and play; the events tell of it", async () => {
  const { root, scope, viewer } = await mounted();
  const told: string[] = [];
  for (const type of ["view", "selection", "position", "start", "stop"])
    scope.listen(viewer.events, type, () => told.push(type));
  const press = (key: string, change: object = {}) => {
    const base = { key, repeat: false, shiftKey: false, ctrlKey: false, altKey: false, metaKey: false, ...change };
    root.find("viewer").dispatchEvent(Object.assign(new Event("keydown", { cancelable: true }), base));
  };
  press("ArrowRight");
  press("ArrowRight", { shiftKey: true });
  press("+");
  assert.deepEqual(told, ["position", "selection", "view"]);
  press(" ");
  for (let turn = 0; turn < 10; turn += 1) await breathe();
  assert.equal(viewer.playing, true);
  FakeContext.opened.at(-1)?.advance(0.1);
  press("Escape");
  assert.equal(viewer.playing, false);
  assert.ok(told.includes("start"));
  assert.equal(told.at(-1), "stop");
  scope.dispose();
});

test("markers and regions can be set before the manifest has come, and are buttons with names", async () => {
  const { root, scope, viewer } = mount();
  viewer.setMarkers([{ id: "1", at: 60 * RATE, label: "Probe 1", movable: true }]);
  viewer.setRegions([{ id: "a", start: 0, stop: 90 * RATE, label: "Rain" }]);
  await viewer.ready;
  assert.equal(root.find("viewer__marker").getAttribute("aria-label"), "Probe 1, 1:00.0");
  assert.equal(root.find("viewer__region").getAttribute("aria-label"), "Rain, 0:00.0 – 1:30.0");
  viewer.setMarkers([]);
  assert.throws(() => root.find("viewer__marker"), /no .viewer__marker/);
  scope.dispose();
});

test("a marker that is only a line cannot be chosen", async () => {
  const { root, scope, viewer } = mount();
  viewer.setMarkers([{ id: "1", at: 60 * RATE, label: "", line: true }]);
  await viewer.ready;
  assert.equal((root.find("viewer__marker") as unknown as HTMLElement).inert, true);
  viewer.setMarkers([{ id: "2", at: 60 * RATE, label: "1" }]);
  assert.equal((root.find("viewer__marker") as unknown as HTMLElement).inert, false);
  scope.dispose();
});

test("a page that has buttons and keys of its own gets a picture without them, and drives it", async () => {
  const { root, scope, viewer } = mount(200, { bar: false, keysOn: null });
  await viewer.ready;
  assert.equal(root.find("viewer__bar").hidden, true);
  const stroke = { key: " ", repeat: false, shiftKey: false, ctrlKey: false, altKey: false, metaKey: false };
  root.find("viewer").dispatchEvent(Object.assign(new Event("keydown", { cancelable: true }), stroke));
  assert.equal(viewer.playing, false);
  const shown = viewer.shown?.stop ?? 0;
  viewer.zoom(4);
  assert.equal(viewer.shown?.stop, shown / 4);
  scope.dispose();
});

test("Play that is pressed before the manifest has come waits, and can be taken back", async () => {
  const { scope, viewer } = mount();
  let told = 0;
  scope.listen(viewer.events, "playing", () => {
    told += 1;
  });
  viewer.play();
  assert.deepEqual([viewer.playing, viewer.waiting], [true, true]);
  viewer.stop();
  assert.deepEqual([viewer.playing, viewer.waiting, told], [false, false, 2]);
  viewer.play();
  await viewer.ready;
  assert.deepEqual([viewer.playing, viewer.waiting], [true, true], "the sound is still on its way");
  for (let turn = 0; turn < 10; turn += 1) await breathe();
  assert.deepEqual([viewer.playing, viewer.waiting], [true, false]);
  scope.dispose();
});

test("a page gets the menu of the picture and the technical lines where it wants them, and no time in the file", async () => {
  const tools = new FakeElement("div");
  const { root, scope, viewer } = mount(200, { bar: false, fileTime: false, tools: tools as never });
  await viewer.ready;
  paint();
  assert.match(tools.find("viewer__about").textContent, /windows? of \d+ samples/);
  assert.ok(tools.find("viewer__menu"));
  viewer.goTo(30_250 * RATE);
  paint();
  assert.equal(root.find("viewer__position").getAttribute("aria-valuetext"), "clock 08:24:10");
  assert.throws(() => tools.find("viewer__cell--time"));
  viewer.setMarkers([{ id: "1", at: 30_250 * RATE, label: "1" }]);
  assert.equal(root.find("viewer__marker").getAttribute("aria-label"), "1, 08:24:10");
  scope.dispose();
  assert.equal(tools.children.length, 0);
});

test("until a picture has come, its place shows that it is loading", async () => {
  const { root, scope, viewer } = mount();
  await viewer.ready;
  paint();
  const signs = () => ["viewer__skeleton", "viewer__skeleton--wave"].map((name) => !root.find(name).hidden);
  assert.deepEqual(signs(), [true, true]);
  assert.equal(root.find("viewer__skeleton").textContent, "Loading the picture");
  assert.equal(root.find("viewer__stage").getAttribute("aria-busy"), "true");
  for (let turn = 0; turn < 10; turn += 1) await breathe();
  paint();
  assert.deepEqual(signs(), [false, false]);
  assert.equal(root.find("viewer__stage").getAttribute("aria-busy"), "false");
  scope.dispose();
});

test("a passage is played from its first to its last sample, and asked for in one piece", async () => {
  const { scope, viewer } = await mounted();
  asked = [];
  viewer.play(60 * RATE, 62 * RATE);
  for (let turn = 0; turn < 10; turn += 1) await breathe();
  assert.deepEqual(
    asked.filter((url) => url.includes("slice")),
    [`/sound/slice/?start=${60 * RATE}&count=${2 * RATE}`],
  );
  scope.dispose();
});

test("a marker says whether it was listened to", async () => {
  const { root, scope, viewer } = await mounted();
  viewer.setMarkers([{ id: "1", at: 60 * RATE, label: "1" }]);
  assert.equal(root.find("viewer__marker").dataset.heard, "no");
  viewer.setMarkers([{ id: "1", at: 60 * RATE, label: "1", heard: true }]);
  assert.equal(root.find("viewer__marker").dataset.heard, "yes");
  scope.dispose();
});

test("a server that refuses is said in words, and the button asks again", async () => {
  const { root, scope, viewer } = mount(404);
  for (let turn = 0; turn < 5; turn += 1) await breathe();
  const veil = root.find("viewer__veil");
  assert.ok(veil.textContent.startsWith("This sound cannot be shown here any more."));
  status = 200;
  const [, retry] = veil.children as FakeElement[];
  retry?.dispatchEvent(new Event("click"));
  await viewer.ready;
  assert.equal(veil.hidden, true);
  scope.dispose();
});

test("an address that has expired is renewed once, and the same is asked again", async () => {
  let renewals = 0;
  const renew = async () => {
    renewals += 1;
    status = 200;
    return "/fresh/";
  };
  const { scope, viewer } = mount(410, { base: "/old/", renew });
  await viewer.ready;
  assert.deepEqual([renewals, asked.slice(0, 2)], [1, ["/old/manifest/", "/fresh/manifest/"]]);
  scope.dispose();
});

test("a thousand mounts leave no listener, frame, observer, timer, picture or sound device", async () => {
  status = 200;
  manifest = { ...MANIFEST, spectrogram: { ...MANIFEST.spectrogram, columns: 16, rows: 4, levels: 21 } };
  const before = { ...left, listeners };
  const outer = new Scope();
  const root = new FakeElement("div");
  for (let index = 0; index < 1000; index += 1) {
    const viewer = mountViewer(root as never, { base: "/sound/", scope: outer });
    // Some end before the manifest, some before the first paint, some while tiles arrive, some while they play.
    if (index % 5) await viewer.ready;
    if (index % 5 > 1) paint();
    if (index % 5 > 2) await breathe();
    if (index % 5 === 4) viewer.play(index);
    viewer.dispose();
  }
  for (let turn = 0; turn < 10; turn += 1) await breathe();
  assert.deepEqual({ ...left, listeners }, before);
  assert.deepEqual([outer.size, openContexts(), root.children.length], [0, 0, 0]);
});
