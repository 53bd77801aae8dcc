// Screening rounds with one right answer each: hear a sound, say what it was. The right answers stay on the server.
import { make, need } from "../lib/dom.ts";
import { fill, gettext, pgettext } from "../lib/i18n.ts";
import type { Scope } from "../lib/scope.ts";
import type { Clip, Player } from "../player/player.ts";
import { digitOf, type Keys } from "../trial/keys.ts";
import type { ScreeningStep } from "./setup.ts";

interface ScreeningParts {
  step: ScreeningStep;
  player: Player;
  keys: Keys;
  scope: Scope;
}

/** What each ear is called, and the letter on the keyboard that chooses it, both in the language of the page. */
const EARS: Record<string, () => { label: string; letter: string }> = {
  left: () => ({ label: gettext("Left"), letter: pgettext("key for the answer Left", "L") }),
  both: () => ({ label: gettext("Both"), letter: pgettext("key for the answer Both", "B") }),
  right: () => ({ label: gettext("Right"), letter: pgettext("key for the answer Right", "R") }),
};

/** The choice that a key stands for: by its digit, or by the letter of an ear. */
export function choiceOf(choices: readonly string[], { key, code }: { key: string; code: string }): string | undefined {
  const letter = (choice: string) => EARS[choice]?.().letter.toLowerCase();
  return choices.find((choice) => choice === String(digitOf(code)) || letter(choice) === key.toLowerCase());
}

export class Screening {
  readonly #parts: ScreeningParts;
  readonly #answers: string[] = [];
  readonly #buttons: HTMLButtonElement[];
  #clips: Clip[] = [];
  #heard = false;
  #sounding: Promise<unknown> | null = null;
  #finish: (answers: string[]) => void = () => {};

  /** Resolves with one answer a round. */
  readonly done: Promise<string[]>;

  constructor(parts: ScreeningParts) {
    this.#parts = parts;
    const { step, scope, keys } = parts;
    this.done = new Promise((resolve) => {
      this.#finish = resolve;
    });
    const { title, advice, question } = textsOf(step);
    need("#screening-title").textContent = title;
    need("#screening-advice").textContent = advice;
    need("#screening-advice").className = step.again ? "notice notice--warn" : "";
    need("#screening-question").textContent = question;
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
    const { scope } = this.#parts;
    const { label, letter } = EARS[choice]?.() ?? { label: choice, letter: "" };
    const hint = letter ? [make("kbd", { "aria-hidden": "true" }, letter)] : [];
    const button = make("button", { type: "button", class: "button", "data-choice": choice }, label, ...hint);
    scope.listen(button, "click", () => this.#answer(choice));
    return button;
  }

  async #play(): Promise<void> {
    const { player } = this.#parts;
    const clip = this.#clips[this.#answers.length];
    if (!clip) return;
    if (!(await player.unlock())) {
      need("#screening-round").textContent = gettext(
        "Your browser keeps the sound off. Allow sound for this page, then press Play again.",
      );
      return;
    }
    const playback = player.play(clip);
    this.#sounding = playback;
    this.#draw();
    const { outcome } = await playback;
    this.#heard ||= outcome === "ended";
    if (this.#sounding === playback) this.#sounding = null; // otherwise Play was pressed once more
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
    const { step } = this.#parts;
    const round = Math.min(this.#answers.length + 1, step.sounds.length);
    need("#screening-round").textContent = fill(gettext("{round} of {rounds}"), { round, rounds: step.sounds.length });
    const loading = !this.#clips.length;
    const play = need<HTMLButtonElement>("#screening-play");
    play.disabled = !this.#clips[this.#answers.length];
    play.setAttribute("aria-busy", String(loading));
    play.toggleAttribute("data-listening", this.#sounding !== null);
    need("span", play).textContent = loading
      ? gettext("Loading…")
      : this.#sounding
        ? gettext("Listening…")
        : gettext("Play");
    // Not `disabled`: the button that was pressed keeps the focus for the next round.
    for (const button of this.#buttons) button.setAttribute("aria-disabled", String(!this.#heard));
    need("#screening-why").hidden = this.#heard;
  }

  #key(event: KeyboardEvent): boolean {
    const chosen = choiceOf(this.#parts.step.choices, event);
    if (chosen !== undefined) this.#answer(chosen);
    else if (event.key === " " || event.key.toLowerCase() === "p") void this.#play();
    else return false;
    return true;
  }
}

function textsOf({ step, screening, again }: ScreeningStep): { title: string; advice: string; question: string } {
  if (step === "ears")
    return {
      title: gettext("Left and right"),
      advice: again
        ? gettext(
            "That was not the right answer. Look for L and R on your headphones, push the plug in all the way, and turn off “mono audio” in the sound settings. Then try once more.",
          )
        : gettext("Put your headphones on (L on the left ear). You will hear three short sounds."),
      question: gettext("Where did you hear it?"),
    };
  return {
    title: gettext("Headphones"),
    advice: again
      ? gettext(
          "The hidden tone was not found. Make sure that both sides of your headphones work, then try this other test.",
        )
      : gettext(
          "Each sound is three parts of noise. A faint tone hides in one of them; only headphones let it be heard.",
        ),
    question:
      screening === "antiphase"
        ? gettext("Which of the three tones was the softest?")
        : gettext("Which part had the hidden tone?"),
  };
}
