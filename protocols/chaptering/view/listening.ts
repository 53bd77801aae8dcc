// What was heard of the recording, by the audio clock: which seconds, and how often somebody pressed Play.
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import type { Listened } from "../../../frontend/src/outbox/events.ts";
import type { PlayerNews } from "../../../frontend/src/player/slices.ts";
import type { Viewer } from "../../../frontend/src/viewer/viewer.ts";
import { heardSeconds, type Interval, rangesOf, withHeard } from "../../../frontend/src/workspace/heard.ts";
import type { Payload } from "./contract.ts";

const TICK_MS = 1000;

export class Listening {
  readonly #viewer: Viewer;
  readonly #changed: () => void;
  #full: Interval[];
  #plays: number;
  #heardS: number;
  #reached = 0;

  constructor(
    scope: Scope,
    viewer: Viewer,
    { full = [], plays = 0 }: Partial<Payload["listened"]>,
    changed: () => void,
  ) {
    this.#viewer = viewer;
    this.#changed = changed;
    this.#full = full.map(([from, to]) => [from, to]);
    this.#plays = plays;
    this.#heardS = heardSeconds(this.#full);
    this.#follow(scope);
  }

  get kept(): Payload["listened"] {
    return { full: this.#full, plays: this.#plays };
  }

  get summary(): Listened {
    return { plays: this.#plays, heard_ms: Math.round(this.#heardS * 1000) };
  }

  /** How much of the recording was heard at least once. */
  get coveredS(): number {
    return heardSeconds(this.#full);
  }

  #follow(scope: Scope): void {
    const { events } = this.#viewer;
    let sounding: Scope | null = null;
    scope.listen(events, "ready", () => this.#show());
    scope.listen<CustomEvent<PlayerNews>>(events, "start", ({ detail }) => {
      if (!sounding) this.#plays += 1;
      sounding?.dispose();
      sounding = scope.child();
      this.#reached = detail.sample;
      sounding.every(TICK_MS, () => this.#reach(this.#viewer.position));
    });
    scope.listen<CustomEvent<PlayerNews>>(events, "stop", ({ detail }) => {
      if (!sounding) return;
      sounding.dispose();
      sounding = null;
      this.#reach(detail.sample);
    });
  }

  #reach(sample: number): void {
    const rateHz = this.#viewer.manifest?.sample_rate_hz ?? 1;
    if (sample > this.#reached) {
      const [fromS, toS] = [this.#reached / rateHz, sample / rateHz];
      this.#heardS += toS - fromS;
      this.#full = withHeard(this.#full, fromS, toS);
      this.#show();
      this.#changed();
    }
    this.#reached = sample;
  }

  #show(): void {
    this.#viewer.setHeard(rangesOf(this.#full, this.#viewer.manifest?.sample_rate_hz ?? 1));
  }
}
