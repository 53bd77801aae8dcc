// Closing a recording: what was not heard is told, what is tentative is asked about, and only missing crosses forbid it.
import { fill, need } from "../lib/dom.ts";
import type { Scope } from "../lib/scope.ts";
import type { Board, Token } from "./contract.ts";
import { numberOf, tentativeTokens } from "./crosses.ts";
import type { PlaneTexts } from "./texts.ts";

/** What is worth knowing before a recording is closed. */
export interface Facts {
  unheard: Token[];
  hoursWithoutProbes: string[];
}

export interface ClosingParts {
  scope: Scope;
  root: ParentNode;
  texts: PlaneTexts;
  tokens: readonly Token[];
  board: Board;
  facts(): Facts;
  finish(): Promise<void>;
}

const names = (tokens: readonly Token[]) => tokens.map(numberOf).join(", ");

export class Closing {
  readonly #parts: ClosingParts;
  readonly #dialog: HTMLDialogElement;

  constructor(parts: ClosingParts) {
    this.#parts = parts;
    const { scope, root } = parts;
    this.#dialog = need("[data-part=closing]", root);
    scope.listen(need("[data-part=finish]", root), "click", () => this.#ask());
    scope.listen(this.#dialog, "close", () => {
      if (this.#dialog.returnValue === "finish") void this.#finish();
    });
  }

  #ask(): void {
    const { texts, tokens, board, facts } = this.#parts;
    const missing = tokens.filter((token) => !board.crosses[token]);
    const tentative = tentativeTokens(board.crosses);
    const { unheard, hoursWithoutProbes } = facts();
    this.#say("missing", missing.length ? fill(texts.missing, { n: names(missing) }) : "");
    this.#say("tentative", tentative.length ? fill(texts.tentative, { n: names(tentative) }) : "");
    this.#say("unheard", unheard.length ? fill(texts.unheard, { n: names(unheard) }) : "");
    const bare = hoursWithoutProbes.length;
    this.#say("unprobed", bare ? fill(texts.unprobed, { n: bare, hours: hoursWithoutProbes.join(", ") }) : "");
    const go = need<HTMLButtonElement>("[value=finish]", this.#dialog);
    go.hidden = missing.length > 0;
    go.textContent = tentative.length ? texts.decide_and_close : texts.close_recording;
    this.#dialog.returnValue = "";
    this.#dialog.showModal();
  }

  #say(name: string, sentence: string): void {
    const place = need(`[data-fact=${name}]`, this.#dialog);
    place.textContent = sentence;
    place.hidden = !sentence;
  }

  async #finish(): Promise<void> {
    const { board, finish } = this.#parts;
    board.decideAll();
    await finish();
  }
}
