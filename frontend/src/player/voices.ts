// The nodes that sound: puts buffers on the audio clock one after another, takes back what has not begun, and cuts with a ramp.
import type { Scope } from "../lib/scope.ts";
import { type Piece, Timeline, timeOf } from "./schedule.ts";

// The 0 dB of every player on the site: half of full scale (see player.ts).
const GAIN = 0.5;
const RAMP_S = 0.005;
const LONGEST_LATENCY_S = 1;

interface Voice {
  piece: Piece;
  node: AudioBufferSourceNode;
}

/** From the clock to the ear. */
export function latencyS(context: AudioContext): number {
  return Math.min(context.outputLatency || context.baseLatency || 0, LONGEST_LATENCY_S);
}

export class Voices {
  readonly timeline = new Timeline();
  readonly #context: AudioContext;
  readonly #sampleRateHz: number;
  readonly #scope: Scope;
  readonly #fellSilent: () => void;
  readonly #gain: GainNode;
  #voices: Voice[] = [];

  /** `fellSilent` is called when everything that was put on the clock has left it. */
  constructor(context: AudioContext, sampleRateHz: number, scope: Scope, fellSilent: () => void) {
    this.#context = context;
    this.#sampleRateHz = sampleRateHz;
    this.#scope = scope;
    this.#fellSilent = fellSilent;
    this.#gain = context.createGain();
    this.#gain.gain.value = GAIN;
    this.#gain.connect(context.destination);
  }

  get silent(): boolean {
    return this.#voices.length === 0;
  }

  /** Let a buffer sound right after what is scheduled, but not before `earliest`; its first sample is `start`. */
  add(buffer: AudioBuffer, start: number, earliest: number): Piece {
    const frame = Math.max(this.timeline.endFrame ?? earliest, earliest);
    const node = new AudioBufferSourceNode(this.#context, { buffer });
    const voice = { piece: { frame, start, count: buffer.length }, node };
    node.connect(this.#gain);
    node.start(timeOf(frame, this.#sampleRateHz));
    this.#voices.push(voice);
    this.timeline.add(voice.piece);
    this.#scope.listen(node, "ended", () => this.#ended(voice));
    return voice.piece;
  }

  /** Unschedule what has not begun by a frame and shorten what would run beyond sample `to`; tells which sample comes next. */
  takeBack(frame: number, to: number): number | null {
    this.timeline.cut(frame);
    const kept = new Set(this.timeline.pieces);
    for (const { piece, node } of this.#voices) if (!kept.has(piece)) node.stop();
    this.#voices = this.#voices.filter(({ piece }) => kept.has(piece));
    const last = this.#voices.at(-1);
    if (!last) return null;
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
    const now = this.#context.currentTime;
    this.#gain.gain.setValueAtTime(GAIN, now);
    this.#gain.gain.linearRampToValueAtTime(0, now + RAMP_S);
    for (const { node } of this.#voices) node.stop(now + RAMP_S);
    this.#voices = [];
  }

  #ended(voice: Voice): void {
    this.#voices = this.#voices.filter((other) => other !== voice);
    this.timeline.forget((this.#context.currentTime - latencyS(this.#context)) * this.#sampleRateHz);
    // The last block has been rendered; what the ear hears ends one output latency later.
    if (this.silent) this.#scope.after(latencyS(this.#context) * 1000, () => this.silent && this.#fellSilent());
  }
}
