// Player of one page: n time-aligned clips on one AudioContext at a fixed gain, with a click-free switch between them.

import { request } from "../lib/http.ts";
import type { Scope } from "../lib/scope.ts";
import type { Interruption, Presentation } from "./heard.ts";
import { fadeOut, gainOf, latencyS, leadS, unlock } from "./output.ts";

/** How long a switch takes. The ramps are linear: they add up to 1, as aligned versions of one sound need it. */
export const FADE_S = 0.008;
/** How far ahead a switch is scheduled at least, because the audio thread may already be rendering beyond `currentTime`. */
export const LEAD_S = 0.012;

interface Voice {
  source: AudioBufferSourceNode;
  gain: AudioParam;
  from: number; // the gain before the newest ramp
  to: number; // and after it
  heardS: number; // up to the newest switch
}

/** Playback of n time-aligned voices: all sources start at one time, and their gains say which one is heard. */
export class Playback {
  /** How playing went, when its last sample has left the loudspeaker or when it was cut. */
  readonly ended: Promise<Presentation>;
  readonly startedAt: number;
  readonly #context: AudioContext;
  readonly #output: GainNode;
  readonly #voices: readonly Voice[];
  readonly #scope: Scope;
  readonly #fromS: number;
  readonly #loop: PlayOptions["loop"];
  readonly #startedMs = performance.now();
  readonly #calledAt: number;
  readonly #durationS: number;
  #active: number;
  #isOver = false;
  #endS = Number.POSITIVE_INFINITY; // when the last sample was rendered, once it was
  #rampS: number; // when the newest ramp begins
  #resolve: (presentation: Presentation) => void = () => {};

  constructor(
    context: AudioContext,
    destination: AudioNode,
    clips: readonly Clip[],
    { voice = 0, earliestS = 0, fromS = 0, loop }: Omit<PlayOptions, "scope">,
    owner: Scope,
  ) {
    this.#context = context;
    this.#fromS = fromS;
    this.#loop = loop;
    this.#active = voice;
    this.#durationS = Math.max(...clips.map(({ durationS }) => durationS)) - fromS;
    this.#calledAt = context.currentTime;
    this.startedAt = Math.max(this.#calledAt + leadS(context), earliestS);
    this.#rampS = this.startedAt - FADE_S;
    this.#output = context.createGain();
    this.#output.connect(destination);
    this.#voices = clips.map((clip, index) => this.#voice(clip, index === voice ? 1 : 0));
    this.#scope = owner.child();
    this.ended = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.#scope.own(() => this.cut("stopped"));
    this.#start(clips);
  }

  /** The voice that is heard, or will be when the newest switch is done. */
  get active(): number {
    return this.#active;
  }

  /** The second of the clips that is being rendered, the same for every voice; after the end, where playing ended. */
  get positionS(): number {
    const position = this.#fromS + Math.max(0, this.#nowS - this.startedAt);
    if (!this.#loop || position < this.#loop.toS) return Math.min(position, this.#fromS + this.#durationS);
    const { fromS, toS } = this.#loop;
    return fromS + ((position - toS) % (toS - fromS));
  }

  /** For how many seconds each voice was the one that is heard. */
  get heardS(): number[] {
    const now = this.#nowS;
    return this.#voices.map(({ heardS }, index) => heardS + (index === this.#active ? this.#activeS(now) : 0));
  }

  get #nowS(): number {
    return Math.min(this.#context.currentTime, this.#endS);
  }

  /** Cross-fade to another voice at the same sample position. */
  switchTo(voice: number): void {
    if (voice === this.#active || !this.#voices[voice] || this.#scope.disposed) return;
    const atS = Math.max(this.#context.currentTime + leadS(this.#context, LEAD_S), this.startedAt);
    const active = this.#voices[this.#active] as Voice;
    active.heardS += this.#activeS(atS);
    const progress = Math.min(Math.max((atS - this.#rampS) / FADE_S, 0), 1);
    this.#voices.forEach((each, index) => {
      each.from += (each.to - each.from) * progress;
      each.to = index === voice ? 1 : 0;
      each.gain.cancelScheduledValues(atS);
      // A ramp that is still under way is cut on its own line, so that the value does not jump.
      each.gain.linearRampToValueAtTime(each.from, atS);
      each.gain.linearRampToValueAtTime(each.to, atS + FADE_S);
    });
    this.#active = voice;
    this.#rampS = atS;
  }

  /** End all voices now, with a short ramp instead of a click. */
  cut(outcome: "stopped" | "voided", interruption?: Interruption): void {
    if (this.#isOver) return;
    const silentS = fadeOut(this.#context, this.#output.gain, 1);
    for (const { source } of this.#voices) source.stop(silentS);
    this.#finish(outcome, interruption);
  }

  #voice({ buffer }: Clip, level: number): Voice {
    const source = new AudioBufferSourceNode(this.#context, { buffer });
    const node = this.#context.createGain();
    node.gain.setValueAtTime(level, 0);
    source.connect(node).connect(this.#output);
    if (this.#loop) {
      source.loop = true;
      [source.loopStart, source.loopEnd] = [this.#loop.fromS, this.#loop.toS];
    }
    return { source, gain: node.gain, from: level, to: level, heardS: 0 };
  }

  #start(clips: readonly Clip[]): void {
    const longest = clips.findIndex(({ durationS }) => durationS - this.#fromS === this.#durationS);
    const last = this.#voices[longest] as Voice;
    // The source ends when the last block is rendered; what the ear hears ends one output latency later.
    this.#scope.listen(last.source, "ended", () =>
      this.#scope.after(latencyS(this.#context) * 1000, () => this.#finish("ended")),
    );
    for (const { source } of this.#voices) source.start(this.startedAt, this.#fromS);
  }

  /** How long the active voice has been heard since the newest switch. */
  #activeS(untilS: number): number {
    return Math.max(0, untilS - Math.max(this.#rampS, this.startedAt));
  }

  #finish(outcome: Presentation["outcome"], interruption?: Interruption): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const endedAt = this.#context.currentTime;
    this.#endS = outcome === "ended" ? this.startedAt + this.#durationS : endedAt;
    // Where the wall clock ran on and the audio clock did not, the sound stood still.
    const stallS = Math.max(0, (performance.now() - this.#startedMs) / 1000 - (endedAt - this.#calledAt));
    const why = interruption ? { interruption } : {};
    this.#resolve({ outcome, startedAt: this.startedAt, endedAt, durationS: this.#durationS, stallS, ...why });
    this.#scope.dispose();
  }
}

const LENGTH_TOLERANCE_S = 0.05;

export interface Clip {
  buffer: AudioBuffer;
  durationS: number;
}

/** The bytes arrived but are not the clip that was announced. */
class BrokenClip extends Error {}

type InterruptionListener = (interruption: Interruption, cutShort: boolean) => void;

interface PlayOptions {
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
