// Dialog before a page is closed: facts worth knowing, and a button that they may forbid.
import { need } from "../lib/dom.ts";
import type { Scope } from "../lib/scope.ts";

interface SubmitActs {
  /** Show the facts, each time that the dialog is opened. */
  tell(dialog: SubmitDialog): void;
  finish(): Promise<void>;
}

export class SubmitDialog {
  readonly go: HTMLButtonElement;
  readonly #dialog: HTMLDialogElement;

  constructor(scope: Scope, root: ParentNode, { tell, finish }: SubmitActs) {
    this.#dialog = need("[data-part=closing]", root);
    this.go = need("[value=finish]", this.#dialog);
    scope.listen(need("[data-part=finish]", root), "click", () => {
      tell(this);
      this.#dialog.returnValue = "";
      this.#dialog.showModal();
    });
    scope.listen(this.#dialog, "close", () => {
      if (this.#dialog.returnValue === "finish") void finish();
    });
  }

  /** Each sentence in its place; an empty one is no fact. */
  say(facts: Record<string, string>): void {
    for (const [name, sentence] of Object.entries(facts)) {
      const place = need(`[data-fact=${name}]`, this.#dialog);
      place.textContent = sentence;
      place.hidden = !sentence;
    }
  }
}
