// Level check on a sample, which repeats until it is stopped; fine tuning is folded and heard at once.

import { make, need } from "../lib/dom.ts";
import { decimal, fill, gettext } from "../lib/i18n.ts";
import type { Scope } from "../lib/scope.ts";
import { HIGHEST_DB, LOWEST_DB } from "../player/output.ts";
import type { Clip, Player } from "../player/player.ts";
import { digitOf, type Keys } from "../trial/keys.ts";
import type { LevelStep } from "./setup.ts";

const STEP_DB = 0.1;
const LARGE_STEP_DB = 0.5;

/** A level in decibels: how keys move it and how it is written. Pure. */
export function withinReach(levelDb: number): number {
  const tenths = Math.round(levelDb * 10) / 10;
  return Math.min(HIGHEST_DB, Math.max(LOWEST_DB, tenths)) || 0; // no negative zero
}

/** Where a key takes the level, or undefined where the key means nothing here. */
export function movedBy(levelDb: number, key: string, shift: boolean): number | undefined {
  const step = shift ? LARGE_STEP_DB : STEP_DB;
  switch (key) {
    case "ArrowLeft":
    case "ArrowDown":
      return withinReach(levelDb - step);
    case "ArrowRight":
    case "ArrowUp":
      return withinReach(levelDb + step);
    case "Home":
      return LOWEST_DB;
    case "End":
      return HIGHEST_DB;
    default:
      return undefined;
  }
}

export function levelText(levelDb: number): string {
  const sign = levelDb > 0 ? "+" : levelDb < 0 ? "−" : "";
  return `${sign}${decimal(Math.abs(levelDb).toFixed(1))} dB`;
}

/** The button that confirms the level, and what says beside it why it cannot be pressed yet. */
export interface LevelEnd {
  button: HTMLButtonElement;
  why: HTMLElement;
}

interface LevelCheckParts {
  step: LevelStep;
  player: Player;
  keys: Keys;
  scope: Scope;
  end: LevelEnd;
}

interface Levelled {
  levelDb: number;
  plays: number[];
}

/** Setting the level: the device's own volume first, then tenths of a decibel for those who want them. */
export class LevelCheck {
  readonly #parts: LevelCheckParts;
  readonly #slider = need<HTMLInputElement>("#level-slider");
  readonly #playButton = need<HTMLButtonElement>("#level-play");
  readonly #fine = need<HTMLDetailsElement>("#level-fine");
  readonly #buttons: HTMLButtonElement[];
  readonly #plays: number[];
  readonly #clips: (Clip | undefined)[];
  #sounding: number | null = null;
  #finish: (levelled: Levelled) => void = () => {};

  /** Resolves when the level is locked. */
  readonly done: Promise<Levelled>;

  constructor(parts: LevelCheckParts) {
    this.#parts = parts;
    const { step, scope, keys, player } = parts;
    this.done = new Promise((resolve) => {
      this.#finish = resolve;
    });
    this.#plays = step.clips.map(() => 0);
    this.#clips = step.clips.map(() => undefined);
    this.#buttons = step.clips.map((_, index) => this.#button(index));
    need("#level-clips").replaceChildren(...this.#buttons);
    need("#level-others").hidden = step.clips.length < 2;
    this.#fine.open = step.level_db !== 0;
    scope.listen(this.#playButton, "click", () => this.#toggle());
    scope.listen(this.#slider, "input", () => this.#set(Number(this.#slider.value)));
    scope.listen(need("#level-lower"), "click", () => this.#set(player.levelDb - LARGE_STEP_DB));
    scope.listen(need("#level-raise"), "click", () => this.#set(player.levelDb + LARGE_STEP_DB));
    scope.listen(need("#level-reset"), "click", () => this.#set(0));
    scope.listen(parts.end.button, "click", () => this.#close());
    keys.on(scope, (event) => this.#key(event));
    scope.own(() => player.stop());
    this.#set(step.level_db);
    this.#show(null);
    this.#offerLock();
  }

  /** Buttons open one by one, as their clips arrive. */
  async load(): Promise<void> {
    const { step, player, scope } = this.#parts;
    await Promise.all(
      step.clips.map(async ({ url, duration_s }, index) => {
        this.#clips[index] = await player.prepare(url, duration_s);
        const button = this.#buttons[index];
        if (!button || scope.disposed) return;
        button.disabled = false;
        this.#show(this.#sounding);
        if (index === 0) this.#playButton.focus();
      }),
    );
  }

  #button(index: number): HTMLButtonElement {
    const n = String(index + 1);
    const name = fill(gettext("Sample {n}"), { n });
    const state = { "aria-label": name, "aria-pressed": "false", disabled: "" };
    const button = make("button", { type: "button", class: "button", ...state }, n);
    this.#parts.scope.listen(button, "click", () => void this.#play(index));
    return button;
  }

  /** Play the first sample, or stop whichever plays. */
  #toggle(): void {
    void this.#play(this.#sounding ?? 0);
  }

  /** Play a clip over and over, until another is chosen, it is stopped, or the level is confirmed. */
  async #play(index: number): Promise<void> {
    const { player } = this.#parts;
    const clip = this.#clips[index];
    if (!clip) return;
    if (!(await player.unlock())) {
      need("#level-note").textContent = gettext(
        "Your browser keeps the sound off. Allow sound for this page, then press Play again.",
      );
      return;
    }
    const wasSounding = this.#sounding === index;
    this.#show(wasSounding ? null : index);
    if (wasSounding) return player.stop();
    while (this.#sounding === index) {
      this.#plays[index] = (this.#plays[index] ?? 0) + 1;
      this.#offerLock();
      const { outcome } = await player.play(clip);
      if (outcome !== "ended" && this.#sounding === index) this.#show(null);
    }
  }

  #show(index: number | null): void {
    this.#sounding = index;
    const loading = !this.#clips[0];
    this.#playButton.disabled = loading;
    this.#playButton.setAttribute("aria-busy", String(loading));
    this.#playButton.toggleAttribute("data-sounding", index !== null);
    need("span", this.#playButton).textContent = loading
      ? gettext("Loading…")
      : index === null
        ? gettext("Play sample")
        : gettext("Stop");
    need("#level-note").textContent = index === null ? "" : gettext("The sample repeats until you press Stop.");
    for (const [at, button] of this.#buttons.entries()) button.setAttribute("aria-pressed", String(at === index));
  }

  #set(levelDb: number): void {
    const level = withinReach(levelDb);
    this.#parts.player.levelDb = level;
    this.#slider.value = String(level);
    this.#slider.setAttribute("aria-valuetext", levelText(level));
    need("#level-shown").textContent = levelText(level);
  }

  /** The level can be confirmed only after a clip was heard. */
  #offerLock(): void {
    const heard = this.#plays.some((count) => count > 0);
    const { button, why } = this.#parts.end;
    button.disabled = !heard;
    why.textContent = heard ? "" : gettext("Play the sample first."); // hidden it would still describe the button
  }

  #close(): void {
    const { button } = this.#parts.end;
    if (button.disabled) return;
    button.disabled = true;
    this.#show(null);
    this.#parts.player.stop();
    this.#finish({ levelDb: this.#parts.player.levelDb, plays: this.#plays });
  }

  #key({ key, code, shiftKey }: KeyboardEvent): boolean {
    if (key === " ") this.#toggle();
    else if (key === "Enter") this.#close();
    else return this.#fine.open && this.#fineKey(key, digitOf(code), shiftKey);
    return true;
  }

  /** Keys that change what the page shows only while fine tuning is open. */
  #fineKey(key: string, digit: number | undefined, shift: boolean): boolean {
    const moved = movedBy(this.#parts.player.levelDb, key, shift);
    if (moved !== undefined) this.#set(moved);
    else if (digit === 0) this.#set(0);
    else if (digit !== undefined && digit <= this.#clips.length) void this.#play(digit - 1);
    else return false;
    return true;
  }
}
