// Plays clips through one AudioContext at a fixed gain; the audio clock says when a clip began and ended.
import { request } from "../lib/http.ts";
import type { Scope } from "../lib/scope.ts";
import { unlock } from "./contexts.ts";
import type { Interruption, Presentation } from "./heard.ts";
import { fadeOut, gainOf, latencyS } from "./output.ts";

const LENGTH_TOLERANCE_S = 0.05;

export interface Clip {
  buffer: AudioBuffer;
  durationS: number;
}

/** The bytes arrived but are not the clip that was announced. */
export class BrokenClip extends Error {}

type InterruptionListener = (interruption: Interruption, cutShort: boolean) => void;

interface Playing {
  source: AudioBufferSourceNode;
  gain: GainNode;
  finish: (outcome: Presentation["outcome"], interruption?: Interruption) => void;
}

export class Player {
  readonly #scope: Scope;
  readonly #context: AudioContext;
  readonly #output: GainNode;
  readonly #listeners: InterruptionListener[] = [];
  #levelDb = 0;
  #playing: Playing | null = null;

  constructor(scope: Scope, context: AudioContext = new AudioContext()) {
    this.#scope = scope;
    this.#context = context;
    this.#output = context.createGain();
    this.#output.gain.value = gainOf(0);
    this.#output.connect(context.destination);
    scope.own(() => void context.close());
    this.#voidOnInterruption();
  }

  get sampleRateHz(): number {
    return this.#context.sampleRate;
  }

  get latencyS(): number {
    return latencyS(this.#context);
  }

  get levelDb(): number {
    return this.#levelDb;
  }

  /** One gain for everything that plays, heard at once; there is no other processing. */
  set levelDb(levelDb: number) {
    this.#levelDb = levelDb;
    this.#output.gain.value = gainOf(levelDb);
  }

  /** Told whenever something came between the page and the ear, and whether it cut a clip short. */
  onInterruption(listener: InterruptionListener): void {
    this.#listeners.push(listener);
  }

  /** Fetch, decode and measure, so that Play starts at once. */
  async prepare(url: string, announcedDurationS: number): Promise<Clip> {
    const response = await request(url, { signal: this.#scope.signal, timeoutMs: 60_000 });
    let buffer: AudioBuffer;
    try {
      buffer = await this.#context.decodeAudioData(await response.arrayBuffer());
    } catch (cause) {
      throw new BrokenClip("cannot be decoded", { cause });
    }
    if (Math.abs(buffer.duration - announcedDurationS) > LENGTH_TOLERANCE_S) throw new BrokenClip("has another length");
    return { buffer, durationS: buffer.duration };
  }

  /** Ask the browser for sound; only a click or a key may do so. False when it stays silent. */
  unlock(): Promise<boolean> {
    return unlock(this.#context, this.#scope);
  }

  /** Play a clip once; resolves when its last sample has left the loudspeaker, or when it was cut. */
  play(clip: Clip): Promise<Presentation> {
    this.stop();
    const source = new AudioBufferSourceNode(this.#context, { buffer: clip.buffer });
    const gain = this.#context.createGain();
    source.connect(gain).connect(this.#output);
    const scope = this.#scope.child();
    const startedAt = this.#context.currentTime;
    const startedMs = performance.now();
    return new Promise((resolve) => {
      const finish: Playing["finish"] = (outcome, interruption) => {
        if (scope.disposed) return;
        scope.dispose();
        this.#playing = null;
        const endedAt = this.#context.currentTime;
        // Where the wall clock ran on and the audio clock did not, the sound stood still.
        const stallS = Math.max(0, (performance.now() - startedMs) / 1000 - (endedAt - startedAt));
        const why = interruption ? { interruption } : {};
        resolve({ outcome, startedAt, endedAt, durationS: clip.durationS, stallS, ...why });
      };
      // The source ends when the last block is rendered; what the ear hears ends one output latency later.
      scope.listen(source, "ended", () => scope.after(latencyS(this.#context) * 1000, () => finish("ended")));
      this.#playing = { source, gain, finish };
      source.start();
    });
  }

  /** Cut what is playing, with a short ramp instead of a click. */
  stop(): void {
    this.#cut("stopped");
  }

  #cut(outcome: "stopped" | "voided", interruption?: Interruption): void {
    const playing = this.#playing;
    if (!playing) return;
    playing.source.stop(fadeOut(playing.gain.gain, 1, this.#context.currentTime));
    playing.finish(outcome, interruption);
  }

  #interrupt(interruption: Interruption): void {
    const cutShort = this.#playing !== null;
    this.#cut("voided", interruption);
    for (const listener of this.#listeners) listener(interruption, cutShort);
  }

  // A clip heard behind another window, through an interrupted device or a changed one is not a presentation.
  #voidOnInterruption(): void {
    this.#scope.listen(document, "visibilitychange", () => {
      if (document.visibilityState === "hidden") this.#interrupt("hidden");
    });
    this.#scope.listen(this.#context, "statechange", () => {
      if (this.#context.state !== "running") this.#cut("voided", "suspended");
    });
    if (navigator.mediaDevices)
      this.#scope.listen(navigator.mediaDevices, "devicechange", () => this.#interrupt("device"));
  }
}
