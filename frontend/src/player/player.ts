// Plays clips through one AudioContext at a fixed gain; the audio clock says when a clip began and ended.
import { request } from "../lib/http.ts";
import type { Scope } from "../lib/scope.ts";
import type { Presentation } from "./heard.ts";

// 0 dB of the level control: half of full scale, so that a later control can raise as well as lower.
const FIXED_GAIN = 0.5;
const STOP_RAMP_S = 0.005;
const LENGTH_TOLERANCE_S = 0.05;
const LONGEST_LATENCY_MS = 1000;

export interface Clip {
  buffer: AudioBuffer;
  durationS: number;
}

/** The bytes arrived but are not the clip that was announced. */
export class BrokenClip extends Error {}

interface Playing {
  source: AudioBufferSourceNode;
  gain: GainNode;
  startedAt: number;
  clip: Clip;
  scope: Scope;
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

  get isPlaying(): boolean {
    return this.#playing !== null;
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
  async unlock(): Promise<boolean> {
    if (this.#context.state === "running") return true;
    const inner = this.#scope.child();
    // A refused resume() neither resolves nor rejects in some browsers.
    const silence = new Promise<void>((resolve) => void inner.after(1500, resolve));
    await Promise.race([this.#context.resume().catch(() => {}), silence]);
    inner.dispose();
    return (this.#context.state as AudioContextState) === "running";
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
      scope.listen(source, "ended", () => scope.after(this.#latencyMs(), () => finish("ended")));
      this.#playing = { source, gain, startedAt, clip, scope, finish };
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
    const now = this.#context.currentTime;
    playing.gain.gain.setValueAtTime(1, now);
    playing.gain.gain.linearRampToValueAtTime(0, now + STOP_RAMP_S);
    playing.source.stop(now + STOP_RAMP_S);
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

  #latencyMs(): number {
    return Math.min((this.#context.outputLatency || 0) * 1000, LONGEST_LATENCY_MS);
  }
}
