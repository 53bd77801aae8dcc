// Prefetch of the sound that rating needs: fetched first and kept encoded, so that it also plays without a network.
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import type { Slice } from "../../../frontend/src/player/schedule.ts";
import { Loader } from "../../../frontend/src/viewer/dataStore.ts";
import { storedStatistic } from "../../../frontend/src/viewer/levels.ts";
import { type Manifest, type Range, Remote } from "../../../frontend/src/viewer/remote.ts";
import type { Token } from "./contract.ts";

interface Held extends Range {
  slice: Slice;
}

// Manifests that were asked for before the turn of their page, by the address of the sound.
const prepared = new Map<string, Promise<Manifest>>();

/** Fetch what a page shows first before it is opened: the manifest, and the picture of the whole, which the browser keeps. */
export async function prepareSound(url: string, signal: AbortSignal): Promise<void> {
  if (prepared.has(url)) return;
  const remote = new Remote(url);
  const asked = remote.manifest(signal);
  prepared.set(url, asked);
  try {
    const { spectrogram: shape, state } = await asked;
    if (state !== "ready") return;
    const coarsest = shape.levels - 1;
    await remote.tile(storedStatistic(shape, "max", coarsest), coarsest, 0, signal);
  } catch (error) {
    prepared.delete(url);
    throw error;
  }
}

/** A sound of which some slices are held here; whatever else is wanted of it is asked for as usual. */
export class PrefetchedSound extends Remote {
  readonly #prepared: Promise<Manifest> | undefined;
  #manifest: Manifest | null = null;
  #asked: Promise<Manifest> | null = null;
  readonly #held: Held[] = [];
  /** How many slices are being fetched for the ear; the prefetch begins nothing new meanwhile. */
  urgent = 0;
  /** Called when `urgent` changes. */
  urgency = () => {};

  constructor(base: string, renew?: () => Promise<string>) {
    super(base, renew);
    this.#prepared = prepared.get(base);
  }

  get known(): Manifest | null {
    return this.#manifest;
  }

  holds({ start, stop }: Range): boolean {
    return this.#held.some((held) => held.start <= start && stop <= held.stop);
  }

  /** Requests at the same time share one answer. */
  override async manifest(signal: AbortSignal): Promise<Manifest> {
    if (this.#manifest?.state === "ready") return this.#manifest;
    this.#asked ??= this.#ask(signal).finally(() => {
      this.#asked = null;
    });
    this.#manifest = await this.#asked;
    return this.#manifest;
  }

  async #ask(signal: AbortSignal): Promise<Manifest> {
    const ahead = await this.#prepared?.catch(() => undefined);
    return ahead?.state === "ready" ? ahead : super.manifest(signal);
  }

  /** As much as is held from `start` on, at once; else what the server says. */
  override async slice(start: number, count: number, signal: AbortSignal): Promise<Slice> {
    const held = this.#held.find((one) => one.start <= start && start < one.stop);
    if (held) return partOf(held, start, count);
    this.#setUrgent(1);
    try {
      return await super.slice(start, count, signal);
    } finally {
      this.#setUrgent(-1);
    }
  }

  async hold({ start, stop }: Range, signal: AbortSignal): Promise<void> {
    const slice = await super.slice(start, stop - start, signal, "low");
    this.#held.push({ start, stop: start + slice.length, slice });
  }

  #setUrgent(by: number): void {
    this.urgent += by;
    this.urgency();
  }
}

/** The bytes are copied because decoding takes them away; a later start only means a longer lead. */
function partOf({ slice, start, stop }: Held, from: number, count: number): Slice {
  return { bytes: slice.bytes.slice(0), lead: slice.lead + from - start, length: Math.min(count, stop - from) };
}

/** The whole of a short sound in slices of the longest kind that the server gives. */
export function slicesOf({ length_samples, slices }: Pick<Manifest, "length_samples" | "slices">): Range[] {
  const longest = slices.longest_samples;
  return Array.from({ length: Math.ceil(length_samples / longest) }, (_, index) => ({
    start: index * longest,
    stop: Math.min((index + 1) * longest, length_samples),
  }));
}

interface Errand {
  key: string;
  run(signal: AbortSignal): Promise<unknown>;
}

// Two at a time leave room on the line for pictures and for what is being played.
const AT_ONCE = 2;

interface PrefetchParts {
  scope: Scope;
  full: PrefetchedSound;
  summaries: ReadonlyMap<Token, PrefetchedSound>;
  /** How many sounds are ready, of how many: probes and summaries. */
  changed(ready: number, total: number): void;
}

/** Fetches probes, then summaries; once a summary was chosen, that one, the other summaries, then probes.
 * A failure is repeated after growing pauses, behind the others. */
export class Prefetch {
  readonly #parts: PrefetchParts;
  readonly #loader: Loader;
  #errands = new Map<string, Errand>();
  #probes: readonly Range[] = [];
  #chosen: Token | null = null;
  #wanted: string[] = [];
  #begun = false;

  constructor(parts: PrefetchParts) {
    this.#parts = parts;
    this.#loader = new Loader({
      scope: parts.scope,
      load: async (key, signal) => void (await this.#errands.get(key)?.run(signal)),
      changed: () => this.#goOn(),
    });
    for (const sound of [parts.full, ...parts.summaries.values()]) sound.urgency = () => this.#goOn();
    this.#goOn();
  }

  /** Fetch from now on; before that only progress is told. */
  begin(): void {
    this.#begun = true;
    this.#goOn();
  }

  /** A summary was chosen: it goes to the front. */
  prefer(token: Token): void {
    this.#chosen = token;
    this.begin();
  }

  /** All probes as they lie now, the most urgent first. */
  setProbes(probes: readonly Range[]): void {
    this.#probes = probes;
    this.#goOn();
  }

  #goOn(): void {
    const errands = this.#begun ? this.#open() : [];
    this.#errands = new Map(errands.map((errand) => [errand.key, errand]));
    const patient = errands.filter(({ key }) => !this.#loader.failed(key));
    const failed = errands.filter(({ key }) => this.#loader.failed(key));
    const next = [...patient, ...failed].slice(0, AT_ONCE).map(({ key }) => key);
    // What is under way may end; anything new would take the line from the sound that is waited for.
    this.#wanted = this.#isUrgent ? this.#wanted.filter((key) => this.#errands.has(key)) : next;
    this.#loader.want(this.#wanted);
    this.#parts.changed(...this.#progress());
  }

  #open(): Errand[] {
    const { full, summaries } = this.#parts;
    const probes = this.#probes.filter((probe) => !full.holds(probe)).map((probe) => errand("full", full, probe));
    const chosen = this.#chosen;
    const tokens = [...summaries.keys()].sort((one, other) => Number(other === chosen) - Number(one === chosen));
    const wholes = tokens.flatMap((token) => openOf(token, summaries.get(token) as PrefetchedSound));
    return chosen === null ? [...probes, ...wholes] : [...wholes, ...probes];
  }

  get #isUrgent(): boolean {
    const { full, summaries } = this.#parts;
    return [full, ...summaries.values()].some(({ urgent }) => urgent > 0);
  }

  #progress(): [number, number] {
    const { full, summaries } = this.#parts;
    const probes = this.#probes.filter((probe) => full.holds(probe)).length;
    const wholes = [...summaries].filter(([token, sound]) => !openOf(token, sound).length).length;
    return [probes + wholes, this.#probes.length + summaries.size];
  }
}

function errand(name: string, sound: PrefetchedSound, range: Range): Errand {
  return { key: `${name} ${range.start} ${range.stop}`, run: (signal) => sound.hold(range, signal) };
}

function openOf(token: Token, sound: PrefetchedSound): Errand[] {
  const { known } = sound;
  if (!known) return [{ key: token, run: (signal) => sound.manifest(signal) }];
  return slicesOf(known)
    .filter((range) => !sound.holds(range))
    .map((range) => errand(token, sound, range));
}
