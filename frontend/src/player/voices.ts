// The nodes that sound: puts buffers on the audio clock one after another, takes back what has not begun, and cuts with a ramp.
import type { Scope } from "../lib/scope.ts";
import { FIXED_GAIN, fadeOut, latencyS } from "./output.ts";
import { type Piece, Timeline, timeOf } from "./schedule.ts";

interface Voice {
  piece: Piece;
  node: AudioBufferSourceNode;
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
    this.#gain.gain.value = FIXED_GAIN;
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
    const silentS = fadeOut(this.#gain.gain, FIXED_GAIN, this.#context.currentTime);
    for (const { node } of this.#voices) node.stop(silentS);
    this.#voices = [];
  }

  #ended(voice: Voice): void {
    this.#voices = this.#voices.filter((other) => other !== voice);
    this.timeline.forget((this.#context.currentTime - latencyS(this.#context)) * this.#sampleRateHz);
    // The last block has been rendered; what the ear hears ends one output latency later.
    if (this.silent) this.#scope.after(latencyS(this.#context) * 1000, () => this.silent && this.#fellSilent());
  }
}
