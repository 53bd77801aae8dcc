// Fake audio device for tests: its clock stands still until it is told to go on, and it records what it was given to play.

/** An AudioParam that can be asked for its value at any time. */
class FakeParam {
  readonly #events: { kind: "set" | "ramp"; value: number; atS: number }[] = [];
  readonly #ramped: (value: number, atS: number) => void;
  value = 1;

  constructor(ramped: (value: number, atS: number) => void) {
    this.#ramped = ramped;
  }

  setValueAtTime(value: number, atS: number): void {
    this.#events.push({ kind: "set", value, atS });
  }

  linearRampToValueAtTime(value: number, atS: number): void {
    this.#ramped(value, atS);
    this.#events.push({ kind: "ramp", value, atS });
  }

  cancelScheduledValues(atS: number): void {
    const kept = this.#events.filter((event) => event.atS < atS);
    this.#events.splice(0, this.#events.length, ...kept);
  }

  valueAt(timeS: number): number {
    const before = this.#events.filter(({ atS }) => atS <= timeS).at(-1);
    const next = this.#events.find(({ atS }) => atS > timeS);
    const from = before?.value ?? this.value;
    if (next?.kind !== "ramp" || !before) return from;
    return from + ((next.value - from) * (timeS - before.atS)) / (next.atS - before.atS);
  }
}

export class FakeGain {
  readonly gain: FakeParam;

  constructor(ramped: (value: number, atS: number) => void) {
    this.gain = new FakeParam(ramped);
  }

  connect<T>(target: T): T {
    return target;
  }
}

export class FakeBuffer {
  readonly numberOfChannels = 1;
  readonly length: number;
  readonly sampleRate: number;
  readonly #data: Float32Array;

  constructor(data: Float32Array, sampleRate: number) {
    this.#data = data;
    this.length = data.length;
    this.sampleRate = sampleRate;
  }

  getChannelData(): Float32Array {
    return this.#data;
  }

  copyToChannel(from: Float32Array): void {
    this.#data.set(from);
  }
}

class FakeSource extends EventTarget {
  readonly context: FakeContext;
  readonly buffer: FakeBuffer;
  startS = 0;
  offsetS = 0;
  loop = false;
  loopStart = 0;
  loopEnd = 0;
  target: unknown = null;
  stopS = Number.POSITIVE_INFINITY;
  hasEnded = false;

  constructor(context: FakeContext, { buffer }: { buffer: FakeBuffer }) {
    super();
    this.context = context;
    this.buffer = buffer;
  }

  connect<T>(target: T): T {
    this.target = target;
    this.context.sources.push(this);
    return target;
  }

  disconnect(): void {
    this.context.sources.splice(this.context.sources.indexOf(this), 1);
  }

  start(when: number, offset = 0): void {
    this.context.currentTime += this.context.delaysS.shift() ?? 0;
    this.startS = when;
    this.offsetS = offset;
  }

  stop(when = this.context.currentTime): void {
    this.stopS = Math.min(this.stopS, when);
  }

  get endS(): number {
    const naturalS = this.startS + this.buffer.length / this.buffer.sampleRate - this.offsetS;
    return Math.min(this.loop ? Number.POSITIVE_INFINITY : naturalS, Math.max(this.stopS, this.startS));
  }
}

export class FakeContext extends EventTarget {
  static opened: FakeContext[] = [];
  readonly sampleRate: number;
  readonly destination = {};
  baseLatency?: number; // 0 in Firefox
  outputLatency = 0;
  readonly sources: FakeSource[] = [];
  readonly ramps: [number, number][] = [];
  currentTime = 0;
  readonly delaysS: number[] = []; // of the next starts, as on a machine that is busy with something else
  state = "running";

  constructor({ sampleRate }: { sampleRate: number }) {
    super();
    this.sampleRate = sampleRate;
    FakeContext.opened.push(this);
  }

  createGain(): FakeGain {
    return new FakeGain((value, at) => this.ramps.push([value, at]));
  }

  createBuffer(_channels: number, length: number, sampleRate: number): FakeBuffer {
    return new FakeBuffer(new Float32Array(length), sampleRate);
  }

  /** The bytes of a fake slice are its samples. */
  async decodeAudioData(bytes: ArrayBuffer): Promise<FakeBuffer> {
    if (bytes.byteLength % 4) throw new Error("not sound");
    return new FakeBuffer(new Float32Array(bytes), this.sampleRate);
  }

  async resume(): Promise<void> {}

  async close(): Promise<void> {
    this.state = "closed";
  }

  /** Let the clock run; nodes whose time has come tell that they have ended. */
  advance(seconds: number): void {
    this.currentTime += seconds;
    for (const source of this.sources)
      if (!source.hasEnded && source.endS <= this.currentTime) {
        source.hasEnded = true;
        source.dispatchEvent(new Event("ended"));
      }
  }

  /** What left the device: which value at which frame, as long as nothing overlaps. */
  played(): Map<number, number> {
    const heard = new Map<number, number>();
    for (const source of this.sources) {
      const first = Math.floor(source.startS * this.sampleRate);
      const last = Math.floor(source.endS * this.sampleRate + 1e-3);
      for (let frame = first; frame < last; frame += 1) {
        if (heard.has(frame)) throw new Error(`Frame ${frame} was played twice.`);
        heard.set(frame, source.buffer.getChannelData()[frame - first] ?? Number.NaN);
      }
    }
    return heard;
  }
}

export function installFakeAudio(): void {
  Object.assign(globalThis, { AudioContext: FakeContext, AudioBufferSourceNode: FakeSource });
}
