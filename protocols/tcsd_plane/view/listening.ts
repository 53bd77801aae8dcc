// Record of what was heard on this page, by the audio clock: which seconds of the day, how often each summary, which probes.
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import type { Listened } from "../../../frontend/src/outbox/events.ts";
import { coveredSeconds, type Interval, withHeard } from "../../../frontend/src/player/heard.ts";
import type { PlayerNews } from "../../../frontend/src/player/slicePlayer.ts";
import type { Viewer } from "../../../frontend/src/viewer/viewer.ts";
import type { Token, Workspace } from "./contract.ts";

const TICK_MS = 1000;
// A click elsewhere in a summary that plays goes on with the same play.
const SAME_PLAY_MS = 500;

type Kept = Workspace["listened"];

/** What is new: more seconds of the day, a play of a summary, or a probe. */
export type Heard = "seconds" | "play" | "probe";

export class Listening {
  #full: Interval[];
  readonly #plays: Record<Token, number>;
  readonly #probes: Set<string>;
  #heardS: number;
  readonly #changed: (what: Heard) => void;

  constructor({ full = [], plays = {}, probes = [] }: Partial<Kept>, changed: (what: Heard) => void) {
    this.#full = full.map(([from, to]) => [from, to]);
    this.#plays = { ...plays };
    this.#probes = new Set(probes);
    // What was heard twice on an earlier visit is not known any more: it counts once.
    this.#heardS = coveredSeconds(this.#full);
    this.#changed = changed;
  }

  get full(): readonly Interval[] {
    return this.#full;
  }

  get kept(): Kept {
    return { full: this.#full, plays: { ...this.#plays }, probes: [...this.#probes] };
  }

  get summary(): Listened {
    const plays = Object.values(this.#plays).reduce((sum, count) => sum + count, 0);
    return { plays: plays + this.#probes.size, heard_ms: Math.round(this.#heardS * 1000) };
  }

  plays(token: Token): number {
    return this.#plays[token] ?? 0;
  }

  hasProbe(id: string): boolean {
    return this.#probes.has(id);
  }

  /** Two seconds were heard to their end. */
  addProbe(id: string): void {
    this.#probes.add(id);
    this.#changed("probe");
  }

  followFull(scope: Scope, viewer: Viewer): void {
    follow(scope, viewer, (fromS, toS) => {
      this.#heardS += toS - fromS;
      this.#full = withHeard(this.#full, fromS, toS);
      this.#changed("seconds");
    });
  }

  followSummary(scope: Scope, viewer: Viewer, token: Token): void {
    let cutMs = Number.NEGATIVE_INFINITY;
    scope.listen(viewer.events, "start", ({ timeStamp }) => {
      if (timeStamp - cutMs < SAME_PLAY_MS) return;
      this.#plays[token] = this.plays(token) + 1;
      this.#changed("play");
    });
    scope.listen<CustomEvent<PlayerNews>>(viewer.events, "stop", ({ timeStamp, detail }) => {
      cutMs = detail.reason === "end" ? Number.NEGATIVE_INFINITY : timeStamp;
    });
    follow(scope, viewer, (fromS, toS) => {
      this.#heardS += toS - fromS;
    });
  }
}

/** Tell every second, and at the end, what has sounded since the last time, in seconds of the sound. */
function follow(scope: Scope, viewer: Viewer, heard: (fromS: number, toS: number) => void): void {
  let sounding: Scope | null = null;
  let reached = 0;
  const tell = (sample: number) => {
    const rateHz = viewer.manifest?.sample_rate_hz ?? 1;
    if (sample > reached) heard(reached / rateHz, sample / rateHz);
    reached = Math.max(reached, sample);
  };
  scope.listen<CustomEvent<PlayerNews>>(viewer.events, "start", ({ detail }) => {
    sounding?.dispose();
    sounding = scope.child();
    reached = detail.sample;
    sounding.every(TICK_MS, () => tell(viewer.position));
  });
  scope.listen<CustomEvent<PlayerNews>>(viewer.events, "stop", ({ detail }) => {
    if (!sounding) return;
    sounding.dispose();
    sounding = null;
    tell(detail.sample);
  });
}
