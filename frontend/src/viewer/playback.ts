// Playback in the viewer: what Play means, the cursor that follows the sound, the view that follows the cursor.
import type { Scope } from "../lib/scope.ts";
import type { Passage } from "../player/schedule.ts";
import { type PlayerNews, SlicePlayer } from "../player/slicePlayer.ts";
import { follow } from "./geometry.ts";
import type { Range, Remote } from "./remote.ts";
import type { ViewerState } from "./state.ts";

// A selection that is being dragged is played when the pointer has rested.
const REST_MS = 150;

/** What is played from a sample: inside a selection up to its end, elsewhere up to the end of the recording. Pure. */
export function passageAt(
  sample: number,
  { selection, loop, length }: { selection: Range | null; loop: boolean; length: number },
): Passage & { start: number } {
  const { start: from, stop: to } = selection ?? { start: 0, stop: length };
  const start = sample >= from && sample < to ? sample : from;
  return { start, from, to, loop };
}

export class Playback {
  readonly #state: ViewerState;
  readonly #player: SlicePlayer;
  readonly #scope: Scope;
  readonly #hear: (type: string, news: PlayerNews) => void;
  #rest = () => {};

  constructor(scope: Scope, state: ViewerState, remote: Remote, hear: (type: string, news: PlayerNews) => void) {
    this.#scope = scope;
    this.#state = state;
    this.#hear = hear;
    const { manifest } = state;
    this.#player = new SlicePlayer(scope, {
      sampleRateHz: manifest.sample_rate_hz,
      channels: manifest.channels,
      lengthSamples: manifest.length_samples,
      longestSamples: manifest.slices.longest_samples,
      slice: (start, count, signal) => remote.slice(start, count, signal),
    });
    for (const type of ["start", "stall", "resume", "trouble", "recover", "stop"])
      scope.listen<CustomEvent<PlayerNews>>(this.#player.events, type, ({ detail }) => this.#heard(type, detail));
    state.on(scope, ["selection", "options"], () => this.#changed());
  }

  get player(): SlicePlayer {
    return this.#player;
  }

  get sounding(): boolean {
    return this.#player.state !== "idle";
  }

  toggle(): void {
    if (this.sounding) this.stop();
    else this.play();
  }

  /** Up to `to` where it is given, and else as the selection says. */
  play(from = this.#state.position, to?: number): void {
    const { start, ...passage } =
      to === undefined ? passageAt(from, this.#state) : { start: from, from, to, loop: false };
    this.#state.setPosition(start);
    const playing = this.#player.play(start, passage);
    this.#state.setPlaying(this.#player.state);
    void playing;
  }

  stop(): void {
    this.#player.stop();
  }

  /** Go somewhere: sounding on from there, or silently. */
  seek(sample: number): void {
    this.#state.setPosition(sample);
    if (this.sounding) this.play(this.#state.position);
  }

  warm(): void {
    this.#player.warm();
  }

  /** Before each paint while it sounds. */
  advance(): void {
    if (!this.sounding) return;
    this.#state.setPosition(this.#player.position());
    if (this.#state.follow) this.#state.setView(follow(this.#state.view, this.#state.position, this.#state.bounds));
  }

  #heard(type: string, news: PlayerNews): void {
    if (type === "stop" || type === "start") this.#state.setPosition(news.sample);
    this.#state.setPlaying(this.#player.state);
    this.#hear(type, news);
  }

  /** A new selection or loop holds at once for what sounds; where the ear has left it, it begins anew inside. */
  #changed(): void {
    this.#rest();
    this.#rest = this.#scope.after(REST_MS, () => {
      if (!this.sounding) return;
      const at = this.#player.position();
      const { start, ...passage } = passageAt(at, this.#state);
      if (start === at) this.#player.change(passage);
      else this.play(start);
    });
  }
}
