// Viewer of a sound of any length: waveform, spectrogram, rulers, selection, marks and playing, from a clip to a day.

import { Problem } from "../lib/http.ts";
import { fill, gettext } from "../lib/i18n.ts";
import { type Scope, WakeSignal } from "../lib/scope.ts";
import type { PlayerNews } from "../player/slicePlayer.ts";
import { Commands, Controls } from "./controls.ts";
import { makeParts, type Options, type Parts } from "./dom.ts";
import { clampSample, rangeOf, viewOf } from "./geometry.ts";
import { type MarkNews, Marks } from "./marks.ts";
import { fillMenu, KeySheet, SelectionFields } from "./menu.ts";
import { Painter } from "./painter.ts";
import { PeakStore } from "./peaks.ts";
import { Playback } from "./playback.ts";
import { PointerInput } from "./pointer.ts";
import { Readout } from "./readout.ts";
import { type Manifest, type Range, Remote } from "./remote.ts";
import { type Look, type Marker, type Region, ViewerState } from "./state.ts";
import { TileStore } from "./tiles.ts";
import { formatTime } from "./times.ts";

const PAUSE_MS = 3000;

/** The share of the recording that can be seen; most of what cannot is heard all the same. Pure. */
export function shareReady({ ready, length_samples }: Manifest): number {
  return ready.reduce((sum, { start, stop }) => sum + stop - start, 0) / length_samples;
}

/** Ask for the manifest every few seconds while anybody looks; `changed` hears of each one that says something new. */
async function watchIngest(
  scope: Scope,
  remote: Remote,
  first: Manifest,
  changed: (manifest: Manifest) => void,
): Promise<void> {
  let known = first;
  while (known.state === "ingesting" && !scope.disposed) {
    await new WakeSignal().wait(scope, PAUSE_MS);
    if (scope.disposed || document.visibilityState === "hidden") continue;
    try {
      const manifest = await remote.manifest(scope.signal);
      const news = manifest.state !== known.state || shareReady(manifest) !== shareReady(known);
      known = manifest;
      if (news && !scope.disposed) changed(manifest);
    } catch {
      // The server restarts or the network is away; what is on the page stays, and the next round asks again.
    }
  }
}

export interface ViewerOptions {
  /** The sound's address, with a slash at its end. */
  base: string;
  scope: Scope;
  /** Gives a fresh address when the old one has expired. */
  renew?: () => Promise<string>;
  /** The strip with the whole recording; on unless false. */
  minimap?: boolean;
  /** The selection in figures; on unless false. */
  fields?: boolean;
  look?: Partial<Look>;
  /** Buttons and menus above the pictures; on unless false, for a page that has its own and fixes the look. */
  bar?: boolean;
  /** Where keys are heard; the viewer itself unless said otherwise, and nowhere where the page has keys of its own. */
  keysOn?: EventTarget | null;
  /** What a screen reader says about the pictures, in place of the viewer's own keys. */
  hint?: string;
  /** Time in the file beside the clock; on unless false. */
  fileTime?: boolean;
  /** The colours with their levels beside the spectrogram; off unless true. */
  colourBar?: boolean;
  /** Place on the page for the Picture menu and an information button, where there is no bar. */
  tools?: HTMLElement;
  /** Source of the sound, where the page keeps some of it itself. */
  remote?: Remote;
}

export interface Viewer {
  /** When the manifest has come and the viewer can be used; never when it is taken down before. */
  readonly ready: Promise<void>;
  /** CustomEvents: ready, view, selection, position, look, playing (idle, loading, playing or stalled), start, stall, resume, trouble, recover, stop (PlayerNews),
   * choose, move, remove (MarkNews), pick and jump (the sample that was clicked in the picture or the strip), manifest (more is ready). */
  readonly events: EventTarget;
  readonly manifest: Manifest | null;
  readonly shown: Range | null;
  readonly selection: Range | null;
  readonly position: number;
  /** From the press on Play to the end, also while nothing sounds yet. */
  readonly playing: boolean;
  /** Play was pressed, and the sound is still on its way. */
  readonly waiting: boolean;
  readonly look: Look | null;
  readonly loop: boolean;
  show(range: Range): void;
  select(range: Range | null): void;
  goTo(sample: number): void;
  /** From where the cursor is unless said otherwise; with `to`, up to that sample. */
  play(from?: number, to?: number): void;
  stop(): void;
  /** Around the cursor where it is in view; 2 shows half as much. */
  zoom(factor: number): void;
  setHeard(heard: readonly Range[]): void;
  setMarkers(markers: readonly Marker[]): void;
  setRegions(regions: readonly Region[]): void;
  setLook(look: Partial<Look>): void;
  /** Play the selection, or all of it, again and again. */
  setLoop(loop: boolean): void;
  dispose(): void;
}

const RETRY_MS = 5000;

interface Live {
  state: ViewerState;
  playback: Playback;
  commands: Commands;
}

class SoundViewer implements Viewer {
  readonly events = new EventTarget();
  readonly ready: Promise<void>;
  readonly #options: ViewerOptions;
  readonly #scope: Scope;
  readonly #parts: Parts;
  readonly #remote: Remote;
  #live: Live | null = null;
  #later: ((live: Live) => void)[] = [];
  /** What was asked to be played before the sound was known. */
  #pending: ((live: Live) => void) | null = null;
  #soundTrouble = "";

  constructor(root: HTMLElement, options: ViewerOptions) {
    this.#options = options;
    this.#scope = options.scope.child();
    this.#remote = options.remote ?? new Remote(options.base, options.renew);
    this.#parts = makeParts({ minimap: true, fields: true, bar: true, colourBar: false, ...shownOf(options) });
    root.append(this.#parts.root);
    for (const part of [this.#parts.root, this.#parts.menu, this.#parts.about]) this.#scope.own(() => part.remove());
    this.ready = new Promise((resolve) => this.#later.push(() => resolve()));
    void this.#load();
  }

  get manifest(): Manifest | null {
    return this.#live?.state.manifest ?? null;
  }

  get shown(): Range | null {
    return this.#live ? rangeOf(this.#live.state.view) : null;
  }

  get selection(): Range | null {
    return this.#live?.state.selection ?? null;
  }

  get position(): number {
    return this.#live?.state.position ?? 0;
  }

  get playing(): boolean {
    return this.#live?.playback.sounding ?? this.#pending !== null;
  }

  get waiting(): boolean {
    return this.#live ? ["loading", "stalled"].includes(this.#live.state.playing) : this.#pending !== null;
  }

  get look(): Look | null {
    return this.#live?.state.look ?? null;
  }

  get loop(): boolean {
    return this.#live?.state.loop ?? false;
  }

  show(range: Range): void {
    this.#when(({ state }) => state.setView(viewOf(range, state.view.width, state.bounds)));
  }

  select(range: Range | null): void {
    this.#when(({ state }) => state.select(range?.start ?? 0, range?.stop ?? 0));
  }

  goTo(sample: number): void {
    this.#when(({ state, playback }) => playback.seek(clampSample(sample, state.length)));
  }

  play(from?: number, to?: number): void {
    const play = ({ playback }: Live) => playback.play(from, to);
    this.#pending = this.#live ? null : play;
    if (this.#live) play(this.#live);
    else this.#emit("playing");
  }

  zoom(factor: number): void {
    this.#when(({ commands }) => commands.zoom(factor));
  }

  setHeard(heard: readonly Range[]): void {
    this.#when(({ state }) => state.setHeard(heard));
  }

  stop(): void {
    this.#live?.playback.stop();
    if (!this.#pending) return;
    this.#pending = null;
    this.#emit("playing");
  }

  setMarkers(markers: readonly Marker[]): void {
    this.#when(({ state }) => state.setMarks({ markers }));
  }

  setRegions(regions: readonly Region[]): void {
    this.#when(({ state }) => state.setMarks({ regions }));
  }

  setLook(look: Partial<Look>): void {
    this.#when(({ state }) => state.setLook(look));
  }

  setLoop(loop: boolean): void {
    this.#when(({ state }) => state.setOptions({ loop }));
  }

  dispose(): void {
    this.#scope.dispose();
  }

  #when(action: (live: Live) => void): void {
    if (this.#live) action(this.#live);
    else this.#later.push(action);
  }

  #emit(type: string, detail: unknown = null): void {
    this.events.dispatchEvent(new CustomEvent(type, { detail }));
  }

  async #load(): Promise<void> {
    const wakeSignal = new WakeSignal();
    this.#scope.listen(this.#parts.retry, "click", () => wakeSignal.notify());
    while (!this.#scope.disposed && !this.#live) {
      try {
        this.#begin(await this.#remote.manifest(this.#scope.signal));
      } catch (error) {
        await wakeSignal.wait(this.#scope, this.#explain(error));
      }
    }
  }

  /** Say why there is no picture, and tell after how long to ask again by oneself. */
  #explain(error: unknown): number | undefined {
    const lasting = error instanceof Problem && !error.passing;
    this.#parts.veilText.textContent = lasting
      ? gettext("This sound cannot be shown here any more. Load the page again.")
      : gettext("The server did not answer. It is asked again in a few seconds.");
    this.#parts.retry.hidden = false;
    return lasting ? undefined : RETRY_MS;
  }

  #begin(manifest: Manifest): void {
    if (this.#scope.disposed) return;
    const parts = this.#parts;
    const { look, keysOn = parts.root } = this.#options;
    const scope = this.#scope;
    const state = new ViewerState(manifest, parts.field.clientWidth || 1);
    if (look) state.setLook(look);
    state.fileTime = this.#options.fileTime ?? true;
    const changed = () => painter.mark("data");
    const stores = { scope, remote: this.#remote, changed };
    const tiles = new TileStore(stores, manifest, state.look);
    const peaks = new PeakStore(stores, manifest);
    const playback = new Playback(scope, state, this.#remote, (type, news) => this.#hear(type, news));
    const readout = new Readout(scope, parts, state, tiles);
    const sheet = new KeySheet(scope, parts);
    const commands = new Commands(state, playback, () => sheet.open());
    const marks = new Marks(scope, parts, state, (type, news) => this.#mark(type, news));
    const painted = () => this.#showNotice(state, tiles.failing || peaks.failing);
    const painter = new Painter({ scope, parts, state, tiles, peaks, marks, readout, playback, painted });
    new Controls({ scope, parts, state, commands, playback, readout, sheet, keysOn });
    new SelectionFields(scope, parts, state);
    new PointerInput(scope, parts, state, playback, (type, sample) => this.#emit(type, sample));
    fillMenu(scope, parts, state);
    for (const topic of ["view", "selection", "position", "look", "playing"] as const)
      state.on(scope, [topic], () => this.#emit(topic));
    void watchIngest(scope, this.#remote, manifest, (next) => {
      tiles.refresh(next);
      peaks.refresh(next);
      state.setManifest(next);
      this.#emit("manifest");
    });
    this.#open({ state, playback, commands }, painter);
  }

  #open(live: Live, painter: Painter): void {
    this.#parts.root.dataset.ready = "";
    this.#parts.root.dataset.clock = live.state.manifest.clock.length ? "yes" : "no";
    this.#parts.veil.hidden = true;
    this.#live = live;
    painter.mark("data");
    for (const action of this.#later.splice(0)) action(live);
    this.#pending?.(live);
    this.#pending = null;
    this.#emit("ready");
  }

  #hear(type: string, news: PlayerNews): void {
    const sentences: Partial<Record<NonNullable<PlayerNews["reason"]>, string>> = {
      blocked: gettext("Your browser keeps the sound off. Allow sound for this page, then press Play again."),
      failed: gettext("This part cannot be played. Try another place, or load the page again."),
      interrupted: gettext("The sound device was taken away. Press Play to go on."),
      retrying: gettext("The sound did not arrive. It is being loaded again."),
    };
    this.#soundTrouble =
      type === "stall" ? gettext("Waiting for the sound.") : ((news.reason && sentences[news.reason]) ?? "");
    if (this.#live) this.#showNotice(this.#live.state, false);
    this.#emit(type, news);
  }

  #mark(type: "choose" | "move" | "remove", news: MarkNews): void {
    if (type === "choose") this.goTo(news.at);
    this.#emit(type, news);
  }

  /** One line for what is not as it should be, the nearest to the ear first. */
  #showNotice(state: ViewerState, pictureTrouble: boolean): void {
    const { manifest } = state;
    const preparing = manifest.state === "ingesting" ? preparingSentence(manifest) : "";
    const sentence =
      this.#soundTrouble ||
      (pictureTrouble ? gettext("Part of the picture is missing. It is being loaded again.") : preparing);
    if (this.#parts.notice.textContent !== sentence) this.#parts.notice.textContent = sentence;
  }
}

function preparingSentence(manifest: Manifest): string {
  const percent = Math.floor(shareReady(manifest) * 100);
  const left = manifest.time_left_s;
  return left === null
    ? fill(gettext("Still being prepared: {percent} percent can be seen."), { percent })
    : fill(gettext("Still being prepared: {percent} percent can be seen, about {time} left."), {
        percent,
        time: formatTime(left),
      });
}

/** Which parts a page has asked for or declined; the rest is as usual. */
function shownOf({ minimap, fields, bar, hint, tools, colourBar }: ViewerOptions): Partial<Options> {
  const wishes = Object.entries({ minimap, fields, bar, hint, tools, colourBar }).filter(
    ([, wish]) => wish !== undefined,
  );
  return Object.fromEntries(wishes);
}

/** Put a viewer into an element. It ends with the scope, and leaves nothing behind. */
export function mountViewer(root: HTMLElement, options: ViewerOptions): Viewer {
  return new SoundViewer(root, options);
}
