// Plays clips through one AudioContext at a fixed gain; the audio clock says when a clip began and ended.
import { request } from "../lib/http.ts";
import type { Scope } from "../lib/scope.ts";
import { unlock } from "./contexts.ts";
import type { Presentation } from "./heard.ts";
import { FIXED_GAIN, fadeOut, latencyS } from "./output.ts";

const LENGTH_TOLERANCE_S = 0.05;

export interface Clip {
  buffer: AudioBuffer;
  durationS: number;
}

/** The bytes arrived but are not the clip that was announced. */
export class BrokenClip extends Error {}

interface Playing {
  source: AudioBufferSourceNode;
  gain: GainNode;
  finish: (outcome: Presentation["outcome"]) => void;
}

export class Player {
  readonly #scope: Scope;
  readonly #context: AudioContext;
  readonly #output: GainNode;
  #playing: Playing | null = null;

  constructor(scope: Scope, context: AudioContext = new AudioContext()) {
    this.#scope = scope;
    this.#context = context;
    this.#output = context.createGain();
    this.#output.gain.value = FIXED_GAIN;
    this.#output.connect(context.destination);
    scope.own(() => void context.close());
    this.#voidOnInterruption();
  }

  get sampleRateHz(): number {
    return this.#context.sampleRate;
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
    return new Promise((resolve) => {
      const finish = (outcome: Presentation["outcome"]) => {
        if (scope.disposed) return;
        scope.dispose();
        this.#playing = null;
        resolve({ outcome, startedAt, endedAt: this.#context.currentTime, durationS: clip.durationS });
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

  #cut(outcome: "stopped" | "voided"): void {
    const playing = this.#playing;
    if (!playing) return;
    playing.source.stop(fadeOut(playing.gain.gain, 1, this.#context.currentTime));
    playing.finish(outcome);
  }

  // A clip heard behind another window, through an interrupted device or a changed one is not a presentation.
  #voidOnInterruption(): void {
    this.#scope.listen(document, "visibilitychange", () => {
      if (document.visibilityState === "hidden") this.#cut("voided");
    });
    this.#scope.listen(this.#context, "statechange", () => {
      if (this.#context.state !== "running") this.#cut("voided");
    });
    if (navigator.mediaDevices) this.#scope.listen(navigator.mediaDevices, "devicechange", () => this.#cut("voided"));
  }
}
