// The elements of the visit's page and what each phase shows. Nothing here decides anything.
import { fill, need } from "../lib/dom.ts";
import type { TrialPage } from "./contract.ts";
import type { Texts } from "./texts.ts";

export type Phase = "loading" | "ready" | "playing" | "rate" | "saving";

export class Screen {
  readonly instructions = need("#instructions");
  readonly start = need<HTMLButtonElement>("#start");
  readonly play = need<HTMLButtonElement>("#play");
  readonly next = need<HTMLButtonElement>("#next");
  readonly view = need("#view");
  readonly #texts: Texts;
  readonly #trial = need("#trial");
  readonly #player = need("#player");
  readonly #cross = need("#cross");
  readonly #heard = need("#heard");
  readonly #playLabel = need("#play-label");
  readonly #note = need("#play-note");
  readonly #gate = need<HTMLFieldSetElement>("#gate");
  readonly #where = need("#where");
  readonly #progress = need<HTMLProgressElement>("#progress");
  readonly #practice = need("#practice");
  readonly #notice = need("#notice");
  readonly #checking = need("#checking");

  constructor(texts: Texts) {
    this.#texts = texts;
  }

  /** Leave the instructions. */
  begin(): void {
    this.instructions.hidden = true;
    this.#trial.hidden = false;
  }

  showTrial(page: TrialPage, total: number): void {
    this.view.replaceChildren();
    this.#where.textContent = fill(this.#texts.where, { position: page.position, total });
    this.#progress.max = total;
    this.#progress.value = page.position - 1;
    this.#practice.hidden = page.kind !== "practice";
  }

  /** Button, cross and "heard" take turns in one place. */
  showPhase(phase: Phase, options: { canPlay: boolean; again: boolean; note: string }): void {
    const offersPlay = phase === "loading" || options.canPlay;
    this.play.hidden = !offersPlay;
    this.play.disabled = !options.canPlay;
    this.#playLabel.textContent = options.again ? this.#texts.play_again : this.#texts.play;
    this.#cross.hidden = phase !== "playing";
    this.#heard.hidden = offersPlay || phase === "playing";
    this.#gate.disabled = phase !== "rate";
    this.note(options.note);
  }

  note(sentence: string): void {
    if (this.#note.textContent !== sentence) this.#note.textContent = sentence;
  }

  notice(sentence: string): void {
    this.#notice.textContent = sentence;
    this.#notice.hidden = !sentence;
  }

  /** Every answer is given; what is left is the server's word. */
  showChecking(): void {
    this.#progress.value = this.#progress.max;
    this.#trial.hidden = true;
    this.instructions.hidden = true;
    this.#checking.hidden = false;
    this.#checking.focus();
  }

  /** Keep keyboard and screen reader where the work is, without putting a ring on any one answer. */
  focus(place: "play" | "player" | "view"): void {
    ({ play: this.play, player: this.#player, view: this.view })[place].focus({ preventScroll: place !== "view" });
  }
}
