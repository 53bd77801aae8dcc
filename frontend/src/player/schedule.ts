// Schedule of samples on the frames of the audio clock, and of the requests for them. Pure.

/** Bytes of sound as they come: drop `lead` decoded samples, keep `length`. */
export interface Slice {
  bytes: ArrayBuffer;
  lead: number;
  length: number;
}

/** Sample `start` and the `count - 1` after it sound from `frame` of the audio clock on. */
export interface Piece {
  readonly frame: number;
  readonly start: number;
  readonly count: number;
}

/** What is to be heard: up to but without sample `to`, and then again from `from` if it loops. */
export interface Passage {
  readonly from: number;
  readonly to: number;
  readonly loop: boolean;
}

/** What comes after everything up to `reached`, or null when the passage is over. */
export function nextSample(passage: Passage, reached: number): number | null {
  if (reached < passage.to) return reached;
  return passage.loop ? passage.from : null;
}

// Seconds cannot name every frame exactly. A browser that is told a hair less than a frame begins between two samples and
// interpolates all that follows; a hair more (browsers round to 1/1024 of a frame or coarser) is that frame.
// The other way round, a clock that stands on a frame may say a hair less than it.
const HAIR = 1e-5;

/** Pieces in the order in which they sound. */
export class Timeline {
  #pieces: Piece[] = [];

  get pieces(): readonly Piece[] {
    return this.#pieces;
  }

  /** The first frame after everything that is scheduled, or null when nothing is. */
  get endFrame(): number | null {
    const last = this.#pieces.at(-1);
    return last ? last.frame + last.count : null;
  }

  add(piece: Piece): void {
    const end = this.endFrame;
    if (end !== null && piece.frame < end) throw new Error(`Frame ${piece.frame} is already taken up to ${end}.`);
    this.#pieces.push(piece);
  }

  /** The sample that sounds at a frame; before the first piece its start, in a gap and after the end what sounded last. */
  sampleAt(frame: number): number | null {
    let heard: number | null = this.#pieces[0]?.start ?? null;
    const reached = frame + HAIR;
    for (const piece of this.#pieces) {
      if (reached < piece.frame) break;
      heard = piece.start + Math.min(Math.floor(reached - piece.frame), piece.count);
    }
    return heard;
  }

  /** Forget what has sounded, but keep the piece that sounds. */
  forget(frame: number): void {
    const sounding = this.#pieces.findLastIndex((piece) => piece.frame <= frame);
    if (sounding > 0) this.#pieces = this.#pieces.slice(sounding);
  }

  /** Let the last piece end earlier. */
  shorten(count: number): Piece {
    const last = this.#pieces.pop();
    if (!last) throw new Error("There is no piece to shorten.");
    const shorter = { ...last, count };
    this.#pieces.push(shorter);
    return shorter;
  }

  /** Take back what has not begun by `frame`. */
  cut(frame: number): void {
    this.#pieces = this.#pieces.filter((piece) => piece.frame <= frame);
  }
}

/** The earliest frame on which something can still be scheduled: `leadS` after the clock's last known time. */
export function frameAfter(clockS: number, leadS: number, sampleRateHz: number): number {
  return Math.ceil((clockS + leadS) * sampleRateHz);
}

/** The time to give to the browser so that something begins or ends exactly on a frame. */
export function timeOf(frame: number, sampleRateHz: number): number {
  return (frame + HAIR) / sampleRateHz;
}

// A whole clip or probe of a few seconds is one request; otherwise sound begins after one second of sound has come.
const ONE_REQUEST_S = 3;
const WHOLE_CLIP_S = 10;
const GROWTH_S = 1; // each request is a second longer than the one before
const LONGEST_S = 10;

export interface Extent {
  sampleRateHz: number;
  lengthSamples: number;
  longestSamples: number;
}

/** How many samples to ask for at `start`, as the n-th request of this playback; never beyond `to`. */
export function samplesToAsk(extent: Extent, start: number, to: number, nth: number): number {
  const { sampleRateHz, lengthSamples, longestSamples } = extent;
  const left = Math.min(to, lengthSamples) - start;
  const grown = nth === 0 && left <= ONE_REQUEST_S * sampleRateHz ? left : GROWTH_S * (nth + 1) * sampleRateHz;
  return Math.max(Math.min(Math.round(grown), Math.round(LONGEST_S * sampleRateHz), longestSamples, left), 0);
}

/** A clip this short is fetched whole, wherever it is played from. */
export function isFetchedWhole({ sampleRateHz, lengthSamples, longestSamples }: Extent): boolean {
  return lengthSamples <= Math.min(WHOLE_CLIP_S * sampleRateHz, longestSamples);
}

const AHEAD_AT_START_S = 2;
const AHEAD_S = 20;
const AHEAD_LOOP_S = 4;

/** How many seconds should be scheduled ahead: little at first, more after longer listening. */
export function aheadS(playedS: number, loop: boolean): number {
  return Math.min(AHEAD_AT_START_S + playedS, loop ? AHEAD_LOOP_S : AHEAD_S);
}

export interface Held {
  readonly start: number;
  readonly stop: number;
}

/** LRU cache of decoded stretches, bounded by their length. */
export class DecodedStore<T extends Held> {
  readonly #limit: number;
  #held: T[] = [];

  constructor(limitSamples: number) {
    this.#limit = limitSamples;
  }

  get samples(): number {
    return this.#held.reduce((sum, { start, stop }) => sum + stop - start, 0);
  }

  /** The stretch that holds a sample, the one that reaches furthest. */
  find(sample: number): T | undefined {
    const holding = this.#held.filter(({ start, stop }) => start <= sample && sample < stop);
    const best = holding.sort((one, other) => other.stop - one.stop)[0];
    if (best) this.#held = [...this.#held.filter((held) => held !== best), best];
    return best;
  }

  /** Where the next known stretch begins, so that nothing is fetched twice. */
  nextStart(sample: number): number {
    return Math.min(...this.#held.map(({ start }) => start).filter((start) => start > sample), Number.MAX_SAFE_INTEGER);
  }

  add(stretch: T): void {
    this.#held.push(stretch);
    while (this.samples > this.#limit && this.#held.length > 1) this.#held.shift();
  }

  clear(): void {
    this.#held = [];
  }
}
