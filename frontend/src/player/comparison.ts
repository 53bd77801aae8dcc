// Comparison of aligned sounds: which one is heard, where playing stands, and for how long each was heard.
import type { Scope } from "../lib/scope.ts";
import type { Heard } from "../outbox/events.ts";
import type { Presentation } from "./heard.ts";
import type { Clip, Playback, Player } from "./player.ts";

/** How long a sound must have been heard before it counts as heard; a shorter one to its end. */
export const HEARD_S = 0.5;
const CLOCK_GRAIN_S = 0.03;

interface ComparisonParts {
  player: Player;
  clips: readonly Clip[];
  scope: Scope;
  /** Whether the sounds begin again at their end. */
  loop: boolean;
  /** How often sound may be started; 0 means as often as wanted. */
  playsAllowed: number;
  /** Something that is shown has changed, other than the position. */
  changed: () => void;
}

export class Comparison {
  readonly durationS: number;
  readonly #parts: ComparisonParts;
  readonly #heardS: number[]; // in earlier playbacks
  readonly #presentations: Presentation[] = [];
  #playback: Playback | null = null;
  #active = 0;
  #fromS = 0; // where playing goes on
  #plays = 0;
  #switches = 0;
  #endedMs = 0;

  constructor(parts: ComparisonParts) {
    this.#parts = parts;
    this.durationS = Math.min(...parts.clips.map(({ durationS }) => durationS));
    this.#heardS = parts.clips.map(() => 0);
  }

  get active(): number {
    return this.#active;
  }

  get playing(): boolean {
    return this.#playback !== null;
  }

  get positionS(): number {
    return this.#playback?.positionS ?? this.#fromS;
  }

  /** How often sound was started. */
  get plays(): number {
    return this.#plays;
  }

  get switches(): number {
    return this.#switches;
  }

  get playsLeft(): number {
    const { playsAllowed } = this.#parts;
    return playsAllowed ? Math.max(playsAllowed - this.#plays, 0) : Number.POSITIVE_INFINITY;
  }

  /** For how many seconds each sound was heard, all playbacks together. */
  get heardS(): number[] {
    const now = this.#playback?.heardS ?? [];
    return this.#heardS.map((seconds, voice) => seconds + (now[voice] ?? 0));
  }

  /** Which sounds were heard long enough to be judged. */
  get isHeard(): boolean[] {
    const enoughS = Math.min(HEARD_S, this.durationS - CLOCK_GRAIN_S);
    return this.heardS.map((seconds) => seconds >= enoughS);
  }

  /** Hear this sound from now on, at the same moment of the sound; start it where nothing plays. */
  hear(voice: number): void {
    const { clips, changed } = this.#parts;
    if (!clips[voice]) return;
    if (voice !== this.#active) {
      this.#active = voice;
      if (this.#playback) this.#switches += 1;
      this.#playback?.switchTo(voice);
    }
    if (!this.#playback) this.#start();
    changed();
  }

  toggle(): void {
    if (this.#playback) this.#stop();
    else this.#start();
    this.#parts.changed();
  }

  /** Go on from another second, playing or not. Where plays are counted a play goes from its beginning to its end. */
  seek(seconds: number): void {
    if (this.#parts.playsAllowed) return;
    const goesOn = this.playing;
    this.#stop();
    this.#fromS = Math.min(Math.max(seconds, 0), this.durationS);
    if (goesOn) this.#start(false);
    this.#parts.changed();
  }

  /** What was heard, for the record that goes with the answer. */
  heard(answeredMs: number): Heard {
    const { sampleRateHz, latencyS, levelDb } = this.#parts.player;
    const last = this.#presentations.at(-1);
    const ms = (seconds: number) => Math.round(seconds * 1000);
    return {
      plays: this.#plays,
      heard_ms: ms(this.heardS.reduce((sum, seconds) => sum + seconds, 0)),
      heard_full: this.heardS.every((seconds) => seconds >= this.durationS - CLOCK_GRAIN_S),
      sample_rate_hz: sampleRateHz,
      started_ms: ms(this.#playback?.startedAt ?? last?.startedAt ?? 0),
      ended_ms: ms(last?.endedAt ?? 0),
      stall_ms: ms(Math.max(0, ...this.#presentations.map(({ stallS }) => stallS))),
      interruptions: this.#presentations.flatMap(({ interruption }) => interruption ?? []),
      answer_ms: this.playing ? 0 : Math.max(0, Math.round(answeredMs - this.#endedMs)),
      level_db: levelDb,
      latency_ms: ms(latencyS),
    };
  }

  #start(counts = true): void {
    const { player, clips, scope, loop, playsAllowed } = this.#parts;
    if (counts && this.playsLeft === 0) return;
    if (this.#fromS >= this.durationS - CLOCK_GRAIN_S || playsAllowed) this.#fromS = 0;
    const region = loop && !playsAllowed ? { loop: { fromS: 0, toS: this.durationS } } : {};
    const playback = player.start(clips, { voice: this.#active, fromS: this.#fromS, scope, ...region });
    this.#playback = playback;
    if (counts) this.#plays += 1;
    void playback.ended.then((presentation) => {
      this.#presentations.push(presentation);
      if (this.#playback === playback) this.#settle();
      this.#endedMs = performance.now();
      this.#parts.changed();
    });
  }

  #stop(): void {
    if (!this.#playback) return;
    this.#parts.player.stop();
    this.#settle();
  }

  /** Keep what the playback that is over has come to. */
  #settle(): void {
    const playback = this.#playback;
    if (!playback) return;
    playback.heardS.forEach((seconds, voice) => {
      this.#heardS[voice] = (this.#heardS[voice] ?? 0) + seconds;
    });
    this.#fromS = playback.positionS;
    this.#playback = null;
  }
}
