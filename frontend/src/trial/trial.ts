// One trial: ready, playing, rate. The scale opens at the true end of playback and not before.
import type { Scope } from "../lib/scope.ts";
import type { Heard, Json } from "../outbox/events.ts";
import { heardToTheEnd, type SlotPresentation, summarise } from "../player/heard.ts";
import type { Clip, Player } from "../player/player.ts";
import type { AnswerForm, ProtocolView, TrialPage } from "./contract.ts";
import { digitOf, type Keys } from "./keys.ts";
import type { Phase, Screen } from "./screen.ts";
import type { Texts } from "./texts.ts";

export interface TrialParts {
  page: TrialPage;
  view: ProtocolView;
  clips: Promise<Map<string, Clip>>;
  player: Player;
  screen: Screen;
  keys: Keys;
  texts: Texts;
  scope: Scope;
  /** What was heard when the page was answered before; then it only takes another answer. */
  already?: Heard;
  /** Resolves when the answer is safe. */
  keep: (payload: Json, heard: Heard) => Promise<void>;
  /** Take the answer before this one back, where that can still be done. */
  reopen?: () => void;
}

export class Trial {
  readonly #parts: TrialParts;
  readonly #form: AnswerForm;
  readonly #presentations: SlotPresentation[] = [];
  #clips = new Map<string, Clip>();
  #phase: Phase = "loading";
  #fullPlays = 0;
  #heardMs = 0; // when the last presentation ended
  #answeredMs = 0; // when the answer was last changed
  #finish: () => void = () => {};

  /** Resolves when the answer is safe, or when the scope ended because the trial was settled elsewhere. */
  readonly done: Promise<void>;

  constructor(parts: TrialParts) {
    const { page, view, screen, player, keys, scope } = parts;
    this.#parts = parts;
    this.done = new Promise((resolve) => {
      this.#finish = resolve;
    });
    scope.own(this.#finish);
    this.#form = view.mount(screen.view, { ...page, keys }, player, scope);
    this.#form.onChange(() => this.#changed());
    scope.listen(screen.play, "click", () => void this.play());
    scope.listen(screen.next, "click", () => void this.next());
    keys.on(scope, (event) => this.#key(event));
    scope.own(() => player.stop());
    if (parts.already) this.#takeAnother();
    else void this.#load();
  }

  async play(): Promise<void> {
    const { player, screen, texts, page } = this.#parts;
    if (!this.#mayPlay()) return;
    if (!(await player.unlock())) return screen.note(texts.no_sound);
    this.#enter("playing", texts.playing);
    screen.focus("player");
    for (const slot of Object.keys(page.media)) {
      const clip = this.#clips.get(slot) as Clip;
      const presentation = await player.play(clip);
      this.#presentations.push({ ...presentation, slot });
      if (!heardToTheEnd(presentation)) return this.#interrupted(presentation.outcome);
    }
    this.#fullPlays += 1;
    this.#heardMs = performance.now();
    this.#enter("rate", texts.rate_now);
    screen.focus("view");
  }

  async next(): Promise<void> {
    const { keep, texts, scope, already } = this.#parts;
    const payload = this.#phase === "rate" ? this.#form.answer() : undefined;
    if (payload === undefined) return;
    this.#enter("saving", texts.saving);
    await keep(payload, already ?? this.#heard());
    scope.dispose();
  }

  #heard(): Heard {
    const { player, page } = this.#parts;
    const { sampleRateHz, latencyS, levelDb } = player;
    const answerMs = this.#answeredMs - this.#heardMs;
    const slots = Object.keys(page.media);
    return summarise(this.#presentations, slots, { sampleRateHz, latencyS, levelDb, answerMs });
  }

  #takeAnother(): void {
    this.#enter("rate", this.#parts.texts.reopened);
    this.#parts.screen.focus("view");
  }

  async #load(): Promise<void> {
    const { clips, scope, screen, texts } = this.#parts;
    this.#enter("loading", texts.loading);
    this.#clips = await clips;
    if (scope.disposed) return;
    this.#enter("ready", texts.press_play);
    screen.focus("play");
  }

  /** Cut short: what was heard is recorded, and the clip can be played again until it was heard whole. */
  #interrupted(outcome: SlotPresentation["outcome"]): void {
    const { scope, texts, screen } = this.#parts;
    if (scope.disposed) return;
    const open = this.#fullPlays > 0;
    this.#enter(open ? "rate" : "ready", outcome === "stopped" ? texts.stopped : texts.voided);
    screen.focus(open ? "view" : "play");
  }

  #mayPlay(): boolean {
    const allowed = this.#parts.page.plays_allowed;
    if (this.#phase === "ready") return true;
    if (this.#phase !== "rate" || this.#parts.already) return false;
    return allowed <= 0 || this.#fullPlays < allowed;
  }

  #enter(phase: Phase, note: string): void {
    const again = this.#presentations.length > 0;
    this.#phase = phase;
    this.#parts.screen.showPhase(phase, { canPlay: this.#mayPlay(), again, note });
    this.#offerNext();
  }

  #changed(): void {
    this.#answeredMs = performance.now();
    this.#offerNext();
    if (this.#parts.page.options.auto_confirm) void this.next();
  }

  #offerNext(): void {
    this.#parts.screen.next.disabled = this.#phase !== "rate" || this.#form.answer() === undefined;
  }

  #key(event: KeyboardEvent): boolean {
    if (event.key === " ") {
      void this.play();
      return true;
    }
    if (event.key === "Enter") {
      void this.next();
      return true;
    }
    if (event.key === "Backspace" && this.#phase === "ready" && this.#parts.reopen) {
      this.#parts.reopen();
      return true;
    }
    if (digitOf(event.code) === undefined || this.#phase === "rate") return false;
    this.#parts.screen.note(this.#parts.texts.opens_later);
    return true;
  }
}
