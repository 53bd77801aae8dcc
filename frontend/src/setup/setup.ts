// Sound check between consent and the first clip: ears, level, headphones.
import { need } from "../lib/dom.ts";
import { isFinalError, requestJson, retrying } from "../lib/http.ts";
import { gettext } from "../lib/i18n.ts";
import { type Scope, WakeSignal } from "../lib/scope.ts";
import type { Player } from "../player/player.ts";
import type { Keys } from "../trial/keys.ts";
import { LevelCheck, type LevelEnd } from "./level.ts";
import { Screening } from "./screening.ts";

export interface ScreeningStep {
  step: "ears" | "headphones";
  screening: string;
  choices: string[];
  sounds: string[];
  duration_s: number;
  again: boolean;
}

export interface LevelStep {
  step: "level";
  clips: { url: string; duration_s: number }[];
  level_db: number;
}

type SetupStep = ScreeningStep | LevelStep;

interface SetupState {
  steps: SetupStep[];
  /** The level that this visit was locked at last. */
  level_db: number | null;
  /** Whether the headphone screen has ended the visit; its page says so. */
  turned_away: boolean;
  /** Whether the check that was just told of was passed. */
  passed?: boolean;
}

/** What is told to the server of one check. */
type Outcome =
  | { step: "level"; level_db: number; plays: number[]; sample_rate_hz: number; output_latency_s: number }
  | { step: "ears" | "headphones"; screening: string; answers: string[] };

interface SetupParts {
  url: string;
  csrf: string;
  scope: Scope;
  player: Player;
  keys: Keys;
}

/** Sound check: the steps that are due, one after another. */
export class Setup {
  readonly #parts: SetupParts;
  readonly #section = need("#setup");
  readonly #wakeSignal = new WakeSignal();
  readonly #ownEnd: LevelEnd = { button: need("#level-lock"), why: need("#level-why") };
  #checks = 0;

  constructor(parts: SetupParts) {
    this.#parts = parts;
    parts.scope.listen(window, "online", () => this.#wakeSignal.notify());
  }

  /** Ask what is still to be checked, and take over the level of an earlier page of this visit. */
  async state(again = ""): Promise<SetupState> {
    const state = await this.#ask<SetupState>(`${this.#parts.url}${again ? `?again=${again}` : ""}`);
    if (state.level_db !== null) this.#parts.player.levelDb = state.level_db;
    return state;
  }

  /**
   * Go through the checks, one after the other, until the server wants no more. Where the level is the last of them and
   * there is a page to be shown below it, one button ends both. Tells whether that button was pressed.
   */
  async run(state: SetupState, below?: () => Promise<LevelEnd>): Promise<boolean> {
    let steps = state.steps;
    let isPressed = false;
    while (steps.length && !this.#parts.scope.disposed) {
      const step = steps[0] as SetupStep;
      const end = step.step === "level" && steps.length === 1 && below ? await below() : undefined;
      const outcome = await this.#check(step, end);
      isPressed ||= end !== undefined;
      // A check that is no longer due was done in another tab: what counts is what the server still wants.
      const told = this.#ask<SetupState>(this.#parts.url, outcome).catch(() => this.state());
      const next = await told;
      if (next.turned_away) return this.#leave();
      steps = next.steps;
    }
    this.#section.hidden = true;
    return isPressed;
  }

  /** The page, loaded again, thanks the person and shows the way back; nothing else happens until then. */
  #leave(): Promise<never> {
    location.reload();
    return new Promise(() => {});
  }

  async #check(step: SetupStep, end?: LevelEnd): Promise<Outcome> {
    const scope = this.#parts.scope.child();
    this.#checks += 1;
    this.#section.dataset.check = String(this.#checks);
    this.#section.hidden = false;
    for (const part of this.#section.querySelectorAll<HTMLElement>("[data-setup]"))
      part.hidden = part.dataset.setup !== (step.step === "level" ? "level" : "screening");
    try {
      return step.step === "level" ? await this.#level(step, scope, end) : await this.#screen(step, scope);
    } finally {
      scope.dispose();
    }
  }

  async #level(step: LevelStep, scope: Scope, end = this.#ownEnd): Promise<Outcome> {
    const { player, keys } = this.#parts;
    need("#level-end").hidden = end !== this.#ownEnd;
    const levelling = new LevelCheck({ step, player, keys, scope, end });
    await this.#retry(() => levelling.load());
    const { levelDb, plays } = await levelling.done;
    return {
      step: "level",
      level_db: levelDb,
      plays,
      sample_rate_hz: player.sampleRateHz,
      output_latency_s: player.latencyS,
    };
  }

  async #screen(step: ScreeningStep, scope: Scope): Promise<Outcome> {
    const { player, keys } = this.#parts;
    const screening = new Screening({ step, player, keys, scope });
    await this.#retry(() => screening.load());
    return { step: step.step, screening: step.screening, answers: await screening.done };
  }

  #ask<T>(url: string, json?: Outcome): Promise<T> {
    const { csrf, scope } = this.#parts;
    return this.#retry(() => requestJson<T>(url, { signal: scope.signal, csrf, ...(json ? { json } : {}) }));
  }

  #retry<T>(work: () => Promise<T>): Promise<T> {
    const note = need("#setup-note");
    const onFailure = () => {
      note.textContent = gettext("Waiting for the server.");
    };
    return retrying(work, {
      scope: this.#parts.scope,
      onFailure,
      wakeSignal: this.#wakeSignal,
      isFinal: isFinalError,
    }).then((answer) => {
      note.textContent = "";
      return answer;
    });
  }
}
