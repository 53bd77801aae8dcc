// Player of any part of a recording of any length: slices are fetched, decoded and put on the audio clock sample by sample.

import { Problem } from "../lib/http.ts";
import { type Scope, WakeSignal } from "../lib/scope.ts";
import {
  becomeOnlySound,
  borrowContext,
  endOnlySound,
  FIXED_GAIN,
  fadeOut,
  isAheadOf,
  latencyS,
  leadS,
  unlock,
} from "./output.ts";
import {
  aheadS,
  DecodedStore,
  type Extent,
  frameAfter,
  type Held,
  isFetchedWhole,
  nextSample,
  type Passage,
  type Piece,
  type Slice,
  samplesToAsk,
  Timeline,
  timeOf,
} from "./schedule.ts";

interface Stretch extends Held {
  buffer: AudioBuffer;
}

/** The bytes came, but are not the sound that was announced. */
class BrokenSlice extends Error {}

/** Decode at the recording's own rate, whatever the device runs at, and drop the lead that the decoder needed. */
async function decode(context: AudioContext, rateHz: number, channels: number, slice: Slice): Promise<AudioBuffer> {
  const decoder = context.sampleRate === rateHz ? context : new OfflineAudioContext(channels, 1, rateHz);
  let whole: AudioBuffer;
  try {
    whole = await decoder.decodeAudioData(slice.bytes);
  } catch (cause) {
    throw new BrokenSlice("cannot be decoded", { cause });
  }
  if (whole.sampleRate !== rateHz) throw new BrokenSlice("has another rate");
  if (!slice.length || whole.length < slice.lead + slice.length) throw new BrokenSlice("is too short");
  return whole.length === slice.length ? whole : part(context, whole, slice.lead, slice.length);
}

/** The samples of a stretch from `start` on, as a buffer of their own. */
function cutOut(context: AudioContext, stretch: Stretch, start: number, count: number): AudioBuffer {
  if (start === stretch.start && count === stretch.buffer.length) return stretch.buffer;
  return part(context, stretch.buffer, start - stretch.start, count);
}

/** A copy of whole samples: offsets in seconds would be rounded by each browser in its own way. */
function part(context: AudioContext, whole: AudioBuffer, start: number, count: number): AudioBuffer {
  const { numberOfChannels, sampleRate } = whole;
  const copy = context.createBuffer(numberOfChannels, count, sampleRate);
  for (let channel = 0; channel < numberOfChannels; channel += 1)
    copy.copyToChannel(whole.getChannelData(channel).subarray(start, start + count), channel);
  return copy;
}

// The clock runs ahead in blocks; what is scheduled nearer than this may begin late and would sound beside its picture.
const SHORTEST_LEAD_S = 0.03;

interface QueuedBuffer {
  piece: Piece;
  node: AudioBufferSourceNode;
}

/** Queue of buffers on the audio clock: one after another; what has not begun can be unscheduled, and a cut is a ramp. */
class BufferQueue {
  readonly timeline = new Timeline();
  readonly #context: AudioContext;
  readonly #sampleRateHz: number;
  readonly #scope: Scope;
  readonly #fellSilent: () => void;
  readonly #gain: GainNode;
  #voices: QueuedBuffer[] = [];

  /** `fellSilent` is called when everything that was put on the clock has left it. */
  constructor(context: AudioContext, sampleRateHz: number, scope: Scope, fellSilent: () => void) {
    this.#context = context;
    this.#sampleRateHz = sampleRateHz;
    this.#scope = scope;
    this.#fellSilent = fellSilent;
    this.#gain = context.createGain();
    this.#gain.gain.value = FIXED_GAIN;
    this.#gain.connect(context.destination);
  }

  get silent(): boolean {
    return this.#voices.length === 0;
  }

  /** Let a buffer sound right after what is scheduled, or as soon as it can where that is over; its first sample is `start`. */
  add(buffer: AudioBuffer, start: number): Piece {
    const { node, frame } = this.#startInTime(buffer);
    const voice = { piece: { frame, start, count: buffer.length }, node };
    this.#voices.push(voice);
    this.timeline.add(voice.piece);
    this.#scope.listen(node, "ended", () => this.#ended(voice));
    return voice.piece;
  }

  /**
   * Start a node that begins exactly on its frame. A busy machine may take longer than the lead between reading the clock and
   * starting the node, which then begins late, beside its picture and over the next one: it is started anew.
   */
  #startInTime(buffer: AudioBuffer): { node: AudioBufferSourceNode; frame: number } {
    for (let shortestS = SHORTEST_LEAD_S; ; shortestS *= 2) {
      const node = new AudioBufferSourceNode(this.#context, { buffer });
      node.connect(this.#gain);
      const frame = Math.max(this.timeline.endFrame ?? 0, this.#earliestFrame(shortestS));
      node.start(timeOf(frame, this.#sampleRateHz));
      if (isAheadOf(this.#context, timeOf(frame, this.#sampleRateHz))) return { node, frame };
      node.disconnect();
    }
  }

  /** The earliest frame on which a change is in time. */
  #earliestFrame(shortestS = SHORTEST_LEAD_S): number {
    return frameAfter(this.#context.currentTime, leadS(this.#context, shortestS), this.#sampleRateHz);
  }

  /** Unschedule what has not begun and shorten what would run beyond sample `to`; tells which sample comes next. */
  takeBack(to: number): number | null {
    const frame = this.#earliestFrame();
    this.timeline.cut(frame);
    const kept = new Set(this.timeline.pieces);
    const taken = this.#voices.filter(({ piece }) => !kept.has(piece));
    for (const { node } of taken) node.stop();
    this.#voices = this.#voices.filter(({ piece }) => kept.has(piece));
    const last = this.#voices.at(-1);
    if (!last) return taken[0]?.piece.start ?? null; // a start that was made anew lies further ahead
    const { piece, node } = last;
    const count = Math.min(piece.count, Math.max(to - piece.start, 0));
    if (count < piece.count && piece.frame + count >= frame) {
      node.stop(timeOf(piece.frame + count, this.#sampleRateHz));
      last.piece = this.timeline.shorten(count);
    }
    return last.piece.start + last.piece.count;
  }

  /** End all sound now, without a click. */
  cut(): void {
    const silentS = fadeOut(this.#context, this.#gain.gain, FIXED_GAIN);
    for (const { node } of this.#voices) node.stop(silentS);
    this.#voices = [];
  }

  #ended(voice: QueuedBuffer): void {
    this.#voices = this.#voices.filter((other) => other !== voice);
    this.timeline.forget((this.#context.currentTime - latencyS(this.#context)) * this.#sampleRateHz);
    this.#awaitSilence();
  }

  /** The ear hears the last block one output latency later by the audio clock, which a busy machine may slow down. */
  #awaitSilence(): void {
    const endS = timeOf(this.timeline.endFrame ?? 0, this.#sampleRateHz);
    const leftS = endS + latencyS(this.#context) - this.#context.currentTime;
    if (!this.silent) return;
    if (leftS > 0) this.#scope.after(leftS * 1000, () => this.#awaitSilence());
    else this.#fellSilent();
  }
}

interface SoundSource extends Extent {
  channels: number;
  slice(start: number, count: number, signal: AbortSignal): Promise<Slice>;
}

/** `loading` until the first sample is due, `stalled` while the network is behind. */
export type PlayState = "idle" | "loading" | "playing" | "stalled";

type Reason = "end" | "user" | "interrupted" | "failed" | "blocked" | "retrying";

/** What `events` carries: which sample, at which second of the audio clock; `reason` with stop and trouble. */
export interface PlayerNews {
  sample: number;
  clockS: number;
  reason?: Reason;
}

const TICK_MS = 100;
const FIRST_PAUSE_MS = 400;
const LONGEST_PAUSE_MS = 5000;
const BROKEN_TRIES = 2;
const KEPT_S = 120;

interface Run {
  scope: Scope;
  voices: BufferQueue;
  wakeSignal: WakeSignal;
  passage: Passage;
  /** The next sample to be scheduled, null when all is. */
  want: number | null;
  /** Grows when `want` is set anew, so that an answer to an old question is not scheduled. */
  turn: number;
  requests: number;
  /** The last request failed and is being repeated. */
  troubled: boolean;
  firstFrame: number | null;
}

/** An error that the server answers will stay, and bytes that cannot be decoded twice will not be the third time; anything else may pass. */
function isLasting(error: unknown, tries: number): boolean {
  if (error instanceof BrokenSlice) return tries >= BROKEN_TRIES;
  return error instanceof Problem && !error.passing;
}

/** Plays any part of a recording of any length: slices are fetched, decoded and put on the audio clock sample by sample. */
export class SlicePlayer {
  /** start, stall, resume, trouble, recover, stop: CustomEvents with PlayerNews. */
  readonly events = new EventTarget();
  readonly #scope: Scope;
  readonly #source: SoundSource;
  readonly #store: DecodedStore<Stretch>;
  #context: AudioContext | null = null;
  #run: Run | null = null;
  #state: PlayState = "idle";
  #rest = 0;

  constructor(scope: Scope, source: SoundSource) {
    this.#scope = scope;
    this.#source = source;
    this.#store = new DecodedStore(KEPT_S * source.sampleRateHz);
    scope.own(() => this.#store.clear());
    scope.own(() => this.stop());
  }

  get state(): PlayState {
    return this.#state;
  }

  get passage(): Passage | null {
    return this.#run?.passage ?? null;
  }

  /** Open the sound device on the first touch, so that a click later sounds at once. */
  warm(): void {
    if (!this.#scope.disposed) void unlock(this.#open(), this.#scope);
  }

  /** The sample that is heard at this moment, or where it stopped. */
  position(): number {
    const context = this.#context;
    return context ? this.sampleAt(context.currentTime - latencyS(context)) : this.#rest;
  }

  /** The sample that leaves the audio clock at a time. */
  sampleAt(clockS: number): number {
    return this.#run?.voices.timeline.sampleAt(clockS * this.#source.sampleRateHz) ?? this.#rest;
  }

  /** Play from a sample; false when the browser keeps the sound off or something came in between. */
  async play(start: number, wish: Partial<Passage> = {}): Promise<boolean> {
    this.#end("user");
    becomeOnlySound(this);
    const context = this.#open();
    const run = this.#begin(context, start, wish);
    void this.#feed(run, context);
    const audible = await unlock(context, run.scope);
    if (!audible && this.#run === run) this.#end("blocked");
    return audible && !run.scope.disposed;
  }

  /** Cut what sounds, with a short ramp instead of a click. */
  stop(): void {
    this.#end("user");
  }

  /** Change the end or the loop while it sounds; the sample that sounds now must lie inside. */
  change(passage: Passage): void {
    const { run, context } = { run: this.#run, context: this.#context };
    if (!run || !context) return;
    const reached = run.voices.takeBack(passage.to);
    run.passage = passage;
    run.turn += 1;
    if (reached !== null) run.want = nextSample(passage, reached);
    run.wakeSignal.notify();
  }

  #open(): AudioContext {
    if (this.#context) return this.#context;
    const context = borrowContext(this.#source.sampleRateHz, this.#scope);
    this.#context = context;
    // Unplugged, taken by a call, suspended by the system: what was heard after that is not known.
    this.#scope.listen(context, "statechange", () => {
      if (context.state !== "running" && this.#state === "playing") this.#end("interrupted");
    });
    return context;
  }

  #begin(context: AudioContext, start: number, wish: Partial<Passage>): Run {
    const scope = this.#scope.child();
    const to = Math.min(wish.to ?? this.#source.lengthSamples, this.#source.lengthSamples);
    const passage = { from: wish.from ?? start, to, loop: wish.loop ?? false };
    const over = () => run.want === null && this.#end("end");
    const voices = new BufferQueue(context, this.#source.sampleRateHz, scope, over);
    const want = nextSample(passage, start);
    const fresh = { turn: 0, requests: 0, troubled: false, firstFrame: null, wakeSignal: new WakeSignal() };
    const run: Run = { scope, voices, passage, want, ...fresh };
    scope.every(TICK_MS, () => this.#tick(run, context));
    this.#run = run;
    this.#rest = start;
    this.#state = "loading";
    return run;
  }

  /** Keep enough of the passage scheduled until all of it is. */
  async #feed(run: Run, context: AudioContext): Promise<void> {
    while (!run.scope.disposed) {
      if (run.want === null || this.#isAhead(run, context)) {
        await run.wakeSignal.wait(run.scope, TICK_MS);
        continue;
      }
      const { want, turn } = run;
      const stretch = this.#store.find(want) ?? (await this.#fetched(run, context, want));
      if (!stretch || run.scope.disposed || run.turn !== turn) continue;
      // Nothing sounds before the browser lets it: a suspended clock does not run.
      if (context.state === "running") this.#schedule(run, context, stretch, want);
      else await run.wakeSignal.wait(run.scope, TICK_MS / 5);
    }
  }

  #isAhead(run: Run, context: AudioContext): boolean {
    const end = run.voices.timeline.endFrame;
    if (end === null || run.firstFrame === null) return false;
    const rate = this.#source.sampleRateHz;
    const playedS = Math.max(context.currentTime - run.firstFrame / rate, 0);
    return end / rate - context.currentTime >= aheadS(playedS, run.passage.loop);
  }

  #schedule(run: Run, context: AudioContext, stretch: Stretch, start: number): void {
    const rate = this.#source.sampleRateHz;
    const count = Math.min(stretch.stop, run.passage.to) - start;
    const buffer = cutOut(context, stretch, start, count);
    const end = run.voices.timeline.endFrame;
    const { frame } = run.voices.add(buffer, start);
    run.want = nextSample(run.passage, start + count);
    // A gap too short for the tick to notice is told all the same.
    if (end !== null && frame > end && this.#state === "playing") this.#announce("stall", "stalled", start, end / rate);
    if (run.firstFrame === null) this.#announce("start", "playing", start, frame / rate);
    else if (this.#state === "stalled") this.#announce("resume", "playing", start, frame / rate);
    run.firstFrame ??= frame;
  }

  #tick(run: Run, context: AudioContext): void {
    const end = run.voices.timeline.endFrame;
    const behind = end !== null && run.want !== null && context.currentTime >= end / this.#source.sampleRateHz;
    if (behind && this.#state === "playing") this.#announce("stall", "stalled", this.position(), context.currentTime);
  }

  /** One more slice, asked for until it comes; null when it never will or is no longer wanted. */
  async #fetched(run: Run, context: AudioContext, start: number): Promise<Stretch | null> {
    const turn = run.turn;
    for (let tries = 1; !run.scope.disposed && run.turn === turn; tries += 1) {
      try {
        return await this.#fetch(run, context, start);
      } catch (error) {
        if (run.scope.disposed) return null;
        if (isLasting(error, tries)) this.#end("failed");
        else this.#trouble(run, context, start);
      }
      await run.wakeSignal.wait(run.scope, Math.min(FIRST_PAUSE_MS * 2 ** (tries - 1), LONGEST_PAUSE_MS));
    }
    return null;
  }

  #trouble(run: Run, context: AudioContext, start: number): void {
    run.troubled = true;
    this.#announce("trouble", this.#state, start, context.currentTime, "retrying");
  }

  async #fetch(run: Run, context: AudioContext, wanted: number): Promise<Stretch> {
    const { sampleRateHz, channels, lengthSamples } = this.#source;
    const whole = isFetchedWhole(this.#source);
    const start = whole ? 0 : wanted;
    const to = Math.min(run.passage.to, this.#store.nextStart(start));
    const count = whole ? lengthSamples : samplesToAsk(this.#source, start, to, run.requests);
    const slice = await this.#source.slice(start, count, run.scope.signal);
    const buffer = await decode(context, sampleRateHz, channels, slice);
    run.requests += 1;
    if (run.troubled) this.#announce("recover", this.#state, start, context.currentTime);
    run.troubled = false;
    const stretch = { start, stop: start + buffer.length, buffer };
    this.#store.add(stretch);
    return stretch;
  }

  #end(reason: Reason): void {
    const { run, context } = { run: this.#run, context: this.#context };
    if (!run || !context) return;
    this.#rest = reason === "end" ? run.passage.to : this.position();
    run.scope.dispose();
    this.#run = null;
    endOnlySound(this);
    run.voices.cut();
    this.#announce("stop", "idle", this.#rest, context.currentTime, reason);
  }

  #announce(type: string, state: PlayState, sample: number, clockS: number, reason?: Reason): void {
    this.#state = state;
    const detail: PlayerNews = reason ? { sample, clockS, reason } : { sample, clockS };
    this.events.dispatchEvent(new CustomEvent(type, { detail }));
  }
}
