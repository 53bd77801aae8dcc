// Before everything is handed in: every page with what became of it, each of which can be opened again.
import { fill, make, need } from "../lib/dom.ts";
import type { Scope } from "../lib/scope.ts";
import type { TrialPage } from "./contract.ts";
import type { Texts } from "./texts.ts";

/** The id of the page to open again, or that all is to be handed in. */
export type AfterReview = { open: string } | "submit";

export class Review {
  readonly #texts: Texts;
  readonly #scope: Scope;
  readonly #section = need("#review");

  constructor(texts: Texts, scope: Scope) {
    this.#texts = texts;
    this.#scope = scope;
  }

  async show(pages: readonly TrialPage[]): Promise<AfterReview> {
    const scope = this.#scope.child();
    const after = await new Promise<AfterReview>((resolve) => {
      const lines = pages.map((page) => this.#line(page, scope, () => resolve({ open: page.trial })));
      need("#review-pages", this.#section).replaceChildren(...lines);
      scope.listen(need("#submit", this.#section), "click", () => resolve("submit"));
      this.#section.hidden = false;
      need("h1", this.#section).focus();
    });
    this.#section.hidden = true;
    scope.dispose();
    return after;
  }

  #line(page: TrialPage, scope: Scope, open: () => void): HTMLElement {
    const name = fill(this.#texts.review_page, { session: page.session, number: page.place.number, of: page.place.of });
    const button = make("button", { type: "button", class: "button button--small button--quiet" }, name);
    scope.listen(button, "click", open);
    return make("li", {}, button);
  }
}
