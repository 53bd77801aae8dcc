// Screening rounds with one right answer each: hear a sound, say what it was. The right answers stay on the server.
import { fill, make, need } from "../lib/dom.ts";
import type { Scope } from "../lib/scope.ts";
import type { Clip, Player } from "../player/player.ts";
import { digitOf, type Keys } from "../trial/keys.ts";
import type { Texts } from "../trial/texts.ts";
import type { ScreeningStep } from "./setup.ts";

interface ScreeningParts {
  step: ScreeningStep;
  player: Player;
  keys: Keys;
  texts: Texts;
  scope: Scope;
}

const LETTERS: Record<string, string> = { left: "l", both: "b", right: "r" };

export class Screening {
  readonly #parts: ScreeningParts;
  readonly #answers: string[] = [];
  readonly #buttons: HTMLButtonElement[];
  #clips: Clip[] = [];
  #heard = false;
  #finish: (answers: string[]) => void = () => {};

  /** Resolves with one answer a round. */
  readonly done: Promise<string[]>;

  constructor(parts: ScreeningParts) {
    this.#parts = parts;
    const { step, scope, keys, texts } = parts;
    this.done = new Promise((resolve) => {
      this.#finish = resolve;
    });
    need("#screening-title").textContent = texts[`${step.step}_title`];
    need("#screening-advice").textContent = step.again ? texts[`${step.step}_again`] : texts[`${step.step}_advice`];
    const question = step.screening === "antiphase" ? ("antiphase" as const) : (`${step.step}_question` as const);
    need("#screening-question").textContent = texts[question];
    this.#buttons = step.choices.map((choice) => this.#button(choice));
    need("#screening-choices").replaceChildren(...this.#buttons);
    scope.listen(need("#screening-play"), "click", () => void this.#play());
    keys.on(scope, (event) => this.#key(event));
    scope.own(() => parts.player.stop());
    this.#draw();
  }

  /** Fetch every round before the first, so that none waits. */
  async load(): Promise<void> {
    const { step, player } = this.#parts;
    this.#clips = await Promise.all(step.sounds.map((url) => player.prepare(url, step.duration_s)));
    this.#draw();
    need("#screening-play").focus();
  }

  #button(choice: string): HTMLButtonElement {
    const { texts, scope } = this.#parts;
    const key = LETTERS[choice]?.toUpperCase() ?? choice;
    const label = choice in LETTERS ? texts[`ear_${choice as "left" | "both" | "right"}`] : choice;
    const hint = label === key ? [] : [make("kbd", { "aria-hidden": "true" }, key)];
    const button = make("button", { type: "button", class: "button", "data-choice": choice }, label, ...hint);
    scope.listen(button, "click", () => this.#answer(choice));
    return button;
  }

  async #play(): Promise<void> {
    const clip = this.#clips[this.#answers.length];
    if (!clip || !(await this.#parts.player.unlock())) return;
    const { outcome } = await this.#parts.player.play(clip);
    this.#heard ||= outcome === "ended";
    this.#draw();
  }

  #answer(choice: string): void {
    const { step, player } = this.#parts;
    if (!this.#heard || this.#answers.length === step.sounds.length) return;
    player.stop();
    this.#answers.push(choice);
    this.#heard = false;
    this.#draw();
    if (this.#answers.length === step.sounds.length) this.#finish(this.#answers);
    else void this.#play();
  }

  #draw(): void {
    const { step, texts } = this.#parts;
    const round = Math.min(this.#answers.length + 1, step.sounds.length);
    need("#screening-round").textContent = fill(texts.round, { round, rounds: step.sounds.length });
    need<HTMLButtonElement>("#screening-play").disabled = !this.#clips[this.#answers.length];
    for (const button of this.#buttons) button.disabled = !this.#heard;
  }

  #key({ key, code }: KeyboardEvent): boolean {
    if (key === " " || key.toLowerCase() === "p") {
      void this.#play();
      return true;
    }
    const { choices } = this.#parts.step;
    const chosen = choices.find((choice) => choice === String(digitOf(code)) || LETTERS[choice] === key.toLowerCase());
    if (chosen === undefined) return false;
    this.#answer(chosen);
    return true;
  }
}
