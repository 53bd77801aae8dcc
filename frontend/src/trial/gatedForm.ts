// Form that opens when the clips of its page have been heard to the end: ready, playing, rate.
import { gettext } from "../lib/i18n.ts";
import type { Scope } from "../lib/scope.ts";
import type { Heard, Json } from "../outbox/events.ts";
import { heardToTheEnd, type SlotPresentation, summarise } from "../player/heard.ts";
import type { Clip } from "../player/player.ts";
import type { Revision, ShownPage, TrialFrame, WorkspaceHost } from "./contract.ts";
import { digitOf } from "./keys.ts";
import type { Phase } from "./screen.ts";

export interface AnswerForm {
  /** The payload of the vote, or undefined while it is incomplete. */
  answer(): Json | undefined;
  onChange(listener: () => void): void;
  /** Show an answer that was given before, so that it can be kept or changed. */
  show?(payload: Json): void;
}

export interface GatedForm {
  /** Build the controls. Until the clips were heard `root` stands in a disabled fieldset: native controls close by
   * themselves, and everything else must ask `root.matches(":disabled *")`. */
  mount(root: HTMLElement): AnswerForm;
  /** The slots in the order in which they are played, some perhaps more than once; each of the page once where none are named. */
  slots?: readonly string[];
  /** Silence between two slots, in seconds of the audio clock; a list has one for each slot, which follows it. */
  gapS?: number | readonly number[];
  /** The slot that is called the reference while it plays; the others are then called the clip to rate. */
  reference?: string;
  /** Whether a complete answer is taken without pressing Next. */
  autoConfirm?: boolean;
}

/** Run a page on which every slot is heard to the end before the form opens; Next closes the page. */
export function gatedForm(host: WorkspaceHost, page: ShownPage, scope: Scope, form: GatedForm): void {
  new GatedTrial(host, page, scope, form);
}

class GatedTrial {
  readonly #host: WorkspaceHost;
  readonly #page: ShownPage;
  readonly #scope: Scope;
  readonly #frame: TrialFrame;
  readonly #gapS: (place: number) => number;
  readonly #reference: string | undefined;
  readonly #autoConfirm: boolean;
  readonly #slots: readonly string[];
  readonly #form: AnswerForm;
  readonly #presentations: SlotPresentation[] = [];
  #clips: ReadonlyMap<string, Clip> = new Map();
  #phase: Phase = "loading";
  #fullPlays = 0;
  #heardMs = 0; // when the last presentation ended
  #answeredMs = 0; // when the answer was last changed
  #given = ""; // the answer that was given before, as the form gives it

  constructor(host: WorkspaceHost, page: ShownPage, scope: Scope, form: GatedForm) {
    const { slots = Object.keys(page.media), gapS = 0, autoConfirm = false } = form;
    this.#host = host;
    this.#page = page;
    this.#scope = scope;
    this.#slots = slots;
    this.#gapS = (place) => (typeof gapS === "number" ? gapS : (gapS[place] ?? 0));
    this.#reference = form.reference;
    this.#autoConfirm = autoConfirm;
    this.#frame = host.showTrial();
    const { screen, player, already } = this.#frame;
    this.#form = form.mount(screen.view);
    this.#form.onChange(() => this.#changed());
    scope.listen(screen.play, "click", () => void this.play());
    scope.listen(screen.next, "click", () => void this.next());
    scope.listen(screen.previous, "click", () => void this.#reopen());
    scope.listen(screen.view, "click", () => this.#explainLock());
    page.keys.on(scope, (event) => this.#key(event));
    scope.own(() => player.stop());
    if (already) this.#revise(already);
    else void this.#load();
  }

  async play(): Promise<void> {
    const { player, screen } = this.#frame;
    if (!this.#mayPlay()) return;
    if (!(await player.unlock()))
      return screen.note(
        gettext("Your browser keeps the sound off. Allow sound for this page, then press Play again."),
      );
    this.#enter("playing", "");
    screen.offerProblem(true);
    screen.focus("player");
    let earliestS = 0;
    for (const [place, slot] of this.#slots.entries()) {
      const clip = this.#clips.get(slot) as Clip;
      if (this.#reference) screen.nameSound(slot === this.#reference ? gettext("Reference") : gettext("Clip to rate"));
      const presentation = await player.play(clip, earliestS);
      this.#presentations.push({ ...presentation, slot });
      earliestS = presentation.startedAt + presentation.durationS + this.#gapS(place);
      if (!heardToTheEnd(presentation)) return this.#interrupted(presentation.outcome);
    }
    this.#fullPlays += 1;
    this.#heardMs = performance.now();
    this.#enter("rate", gettext("Now choose your answer."));
    screen.focus("view");
  }

  async next(): Promise<void> {
    const { already, screen } = this.#frame;
    if (this.#missing()) return screen.explainNext();
    const payload = this.#form.answer();
    if (already && (payload === undefined || JSON.stringify(payload) === this.#given)) return already.keep();
    if (payload === undefined) return;
    this.#enter("saving", gettext("Saving…"));
    await this.#host.finish(payload, already?.heard ?? this.#heard());
  }

  #heard(): Heard {
    const { sampleRateHz, latencyS, levelDb } = this.#frame.player;
    const answerMs = this.#answeredMs - this.#heardMs;
    return summarise(this.#presentations, this.#slots, { sampleRateHz, latencyS, levelDb, answerMs });
  }

  /** An answer that was given before: going on without a change keeps it, and so does Esc. */
  #revise({ answer, keep }: Revision): void {
    this.#form.show?.(answer);
    this.#given = JSON.stringify(this.#form.answer());
    this.#page.keys.onCancel(this.#scope, keep);
    this.#enter("rate", gettext("This was your answer. You can change it."));
    this.#frame.screen.focus("view");
  }

  /** Open the answer before again; false where that cannot be done, as after sound was played here. */
  #reopen(): boolean {
    if (!this.#mayReopen()) return false;
    this.#frame.reopen?.();
    return true;
  }

  #mayReopen(): boolean {
    const isUntouched = (this.#phase === "loading" || this.#phase === "ready") && !this.#presentations.length;
    return isUntouched && this.#frame.reopen !== undefined;
  }

  #explainLock(): boolean {
    if (this.#phase === "rate" || this.#phase === "saving") return false;
    this.#frame.screen.explain(gettext("The scale opens when the sound has ended."));
    return true;
  }

  async #load(): Promise<void> {
    const { clips, screen } = this.#frame;
    this.#enter("loading", "");
    this.#clips = await clips;
    if (this.#scope.disposed) return;
    this.#enter(
      "ready",
      this.#page.plays_allowed === 1
        ? gettext("Plays once. Press Play when you are ready.")
        : gettext("Press Play when you are ready."),
    );
    screen.focus("play");
  }

  /** Cut short: what was heard is recorded, and the clip can be played again until it was heard whole. */
  #interrupted(outcome: SlotPresentation["outcome"]): void {
    const { screen } = this.#frame;
    if (this.#scope.disposed) return;
    const open = this.#fullPlays > 0;
    this.#enter(
      open ? "rate" : "ready",
      outcome === "stopped"
        ? gettext("Stopped. Press Play to hear it whole.")
        : gettext("The sound was interrupted. Play it again; this does not count against you."),
    );
    screen.focus(open ? "view" : "play");
  }

  #mayPlay(): boolean {
    const allowed = this.#page.plays_allowed;
    if (this.#phase === "ready") return true;
    if (this.#phase !== "rate" || this.#frame.already) return false;
    return allowed <= 0 || this.#fullPlays < allowed;
  }

  #enter(phase: Phase, note: string): void {
    const again = this.#presentations.length > 0;
    this.#phase = phase;
    this.#frame.screen.showPhase(phase, { canPlay: this.#mayPlay(), again, note });
    this.#frame.screen.offerPrevious(this.#mayReopen());
    this.#frame.screen.offerNext(this.#missing());
  }

  #changed(): void {
    this.#answeredMs = performance.now();
    if (this.#phase === "rate" && !this.#frame.already) this.#frame.screen.note("");
    this.#frame.screen.offerNext(this.#missing());
    if (this.#autoConfirm) void this.next();
  }

  /** What must be done before the page can be closed; empty when nothing is. */
  #missing(): string {
    switch (this.#phase) {
      case "loading":
        return gettext("The sound is still loading.");
      case "ready":
        return gettext("Press Play first.");
      case "playing":
        return gettext("You can answer when the sound has ended.");
      case "saving":
        return gettext("Saving…");
      case "rate":
        return this.#frame.already || this.#form.answer() !== undefined ? "" : gettext("Choose an answer first.");
    }
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
    if (event.key === "Backspace") return this.#reopen();
    return digitOf(event.code) !== undefined && this.#explainLock();
  }
}
