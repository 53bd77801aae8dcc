// The one question about the clip itself: whether it was synthesised. Yes and no are answers; nothing is preset.
import { need } from "../../../frontend/src/lib/dom.ts";
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import type { ShownPage } from "../../../frontend/src/trial/contract.ts";
import type { PageAnswers } from "./answers.ts";
import { wordsOf } from "./caption.ts";
import { pageOf } from "./contract.ts";

export class Synthesised {
  readonly #place: HTMLElement;
  readonly #answers: PageAnswers;

  constructor(scope: Scope, root: ParentNode, page: ShownPage, answers: PageAnswers, changed: () => void) {
    this.#answers = answers;
    this.#place = need("[data-part=synthesised]", root);
    this.#place.hidden = !pageOf(page).synthesised;
    const words = wordsOf(page, "SYNTHESISED");
    const question = need("[data-part=synthesised-question]", this.#place);
    question.lang = words.language;
    question.textContent = words.question;
    for (const radio of this.#radios)
      scope.listen(radio, "change", () => {
        answers.synthesised = radio.value === "yes";
        this.#show();
        changed();
      });
    this.#show();
  }

  focus(): void {
    const radio = this.#radios.find(({ checked }) => checked) ?? this.#radios[0];
    if (!this.#place.hidden) radio?.focus();
  }

  get #radios(): HTMLInputElement[] {
    return [...this.#place.querySelectorAll<HTMLInputElement>("input")];
  }

  #show(): void {
    const { synthesised } = this.#answers;
    this.#place.dataset.set = synthesised === null ? "no" : "yes";
    need("[data-part=synthesised-unset]", this.#place).hidden = synthesised !== null;
    for (const radio of this.#radios) radio.checked = synthesised !== null && (radio.value === "yes") === synthesised;
  }
}
