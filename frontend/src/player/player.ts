// Player of one page: n time-aligned clips on one AudioContext at a fixed gain, with a click-free switch between them.
import { request } from "../lib/http.ts";
import type { Scope } from "../lib/scope.ts";
import { unlock } from "./contexts.ts";
import type { Interruption, Presentation } from "./heard.ts";
import { gainOf, latencyS } from "./output.ts";
import { Playback } from "./playback.ts";

const LENGTH_TOLERANCE_S = 0.05;

export interface Clip {
  buffer: AudioBuffer;
  durationS: number;
}

/** The bytes arrived but are not the clip that was announced. */
export class BrokenClip extends Error {}

type InterruptionListener = (interruption: Interruption, cutShort: boolean) => void;

export interface PlayOptions {
  /** Which voice is heard first. */
  voice?: number;
  /** Not before this second of the audio clock; at once if that has passed. */
  earliestS?: number;
  /** Where in the clips playing begins, in seconds. */
  fromS?: number;
  /** The region that is repeated until playing is stopped, in seconds of the clips. */
  loop?: { fromS: number; toS: number };
  /** Playing ends with this scope; with the player's if none is given. */
  scope?: Scope;
}

export class Player {
  readonly #scope: Scope;
  readonly #context: AudioContext;
  readonly #output: GainNode;
  readonly #listeners: InterruptionListener[] = [];
  #levelDb = 0;
  #playing: Playback | null = null;

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
  play(clip: Clip, earliestS = 0): Promise<Presentation> {
    return this.start([clip], { earliestS }).ended;
  }

  /** Start clips together as aligned voices, of which one is heard. What was playing is cut. */
  start(clips: readonly Clip[], { scope = this.#scope, ...options }: PlayOptions = {}): Playback {
    this.stop();
    const playback = new Playback(this.#context, this.#output, clips, options, scope);
    this.#playing = playback;
    void playback.ended.then(() => {
      if (this.#playing === playback) this.#playing = null;
    });
    return playback;
  }

  /** Cut what is playing, with a short ramp instead of a click. */
  stop(): void {
    this.#cut("stopped");
  }

  #cut(outcome: "stopped" | "voided", interruption?: Interruption): void {
    const playing = this.#playing;
    this.#playing = null;
    playing?.cut(outcome, interruption);
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
