// Keyboard of the whole screen: one listener, the same rules for every key.
import type { Scope } from "../lib/scope.ts";

/** What a key event is judged by; a KeyboardEvent has all of it. */
export interface Stroke {
  code: string;
  key: string;
  repeat: boolean;
  ctrlKey: boolean;
  altKey: boolean;
  metaKey: boolean;
}

/** The digit a key stands for by its place, so that it is the same on AZERTY, where the row gives & é " '. */
export function digitOf(code: string): number | undefined {
  const match = /^(?:Digit|Numpad)([0-9])$/.exec(code);
  return match ? Number(match[1]) : undefined;
}

type Place = "text" | "button" | "choice" | "other";

/** Whether a stroke is a shortcut here: never while held down, with a modifier, or where it types or presses something. */
export function isShortcut(stroke: Stroke, place: Place): boolean {
  if (stroke.repeat || stroke.ctrlKey || stroke.altKey || stroke.metaKey || place === "text") return false;
  if (stroke.key === " ") return place === "other";
  return stroke.key !== "Enter" || place !== "button";
}

const CHOICES = ["radio", "checkbox"];

export function placeOf(target: EventTarget | null): Place {
  if (!(target instanceof HTMLElement)) return "other";
  if (target instanceof HTMLInputElement && target.type === "range") return "other"; // nothing is typed into it
  if (target instanceof HTMLInputElement) return CHOICES.includes(target.type) ? "choice" : "text";
  if (target.isContentEditable || target.matches("textarea, select")) return "text";
  return target.matches("button, a[href], summary") ? "button" : "other";
}

/** Returns true when the stroke meant something and is used up. */
type KeyHandler = (event: KeyboardEvent) => boolean;

export class Keys {
  enabled = true;
  readonly #handlers = new Set<KeyHandler>();
  readonly #fallbacks = new Set<KeyHandler>();
  readonly #stops = new Set<() => void>();

  constructor(scope: Scope) {
    scope.listen<KeyboardEvent>(document, "keydown", (event) => this.#receive(event));
  }

  /** Listen to shortcuts for as long as the scope lives. */
  on(scope: Scope, handler: KeyHandler): void {
    this.#handlers.add(handler);
    scope.own(() => this.#handlers.delete(handler));
  }

  /** Listen to shortcuts that no page has used: a page may have other uses for a letter of the whole visit. */
  onUnused(scope: Scope, handler: KeyHandler): void {
    this.#fallbacks.add(handler);
    scope.own(() => this.#fallbacks.delete(handler));
  }

  /** Esc stops all sound, everywhere, also in text fields and with shortcuts turned off (WCAG 1.4.2). */
  onStop(scope: Scope, stop: () => void): void {
    this.#stops.add(stop);
    scope.own(() => this.#stops.delete(stop));
  }

  /** Esc outside of dialogs, which close with it; also with shortcuts turned off. */
  onCancel(scope: Scope, cancel: () => void): void {
    this.onStop(scope, () => {
      if (!document.querySelector("dialog[open]")) cancel();
    });
  }

  #receive(event: KeyboardEvent): void {
    if (event.key === "Escape") for (const stop of [...this.#stops]) stop();
    if (!this.enabled || document.querySelector("dialog[open]")) return;
    if (!isShortcut(event, placeOf(event.target))) return;
    for (const handler of [...this.#handlers, ...this.#fallbacks]) {
      if (!handler(event)) continue;
      event.preventDefault();
      return;
    }
  }
}
