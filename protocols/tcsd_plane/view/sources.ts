// The rater's own list of sources: the only one there is, because a list from elsewhere would put words into ears.
import { fill, make, need } from "../../../frontend/src/lib/dom.ts";
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import type { Notebook } from "./notebook.ts";
import type { PlaneTexts } from "./texts.ts";

export class SourceList {
  readonly #list: HTMLElement;
  readonly #notebook: Notebook;
  readonly #texts: PlaneTexts;
  readonly #outer: Scope;
  #inner: Scope;

  constructor(scope: Scope, root: ParentNode, notebook: Notebook, texts: PlaneTexts) {
    this.#outer = scope;
    this.#inner = scope.child();
    this.#notebook = notebook;
    this.#texts = texts;
    this.#list = need("[data-part=sources]", root);
    const form = need<HTMLFormElement>("[data-part=source-form]", root);
    const input = need<HTMLInputElement>("input", form);
    scope.listen(form, "submit", (event) => {
      event.preventDefault();
      if (notebook.addSource(input.value) === null) return;
      input.value = "";
      input.focus();
    });
    this.draw();
  }

  draw(): void {
    this.#inner.dispose();
    this.#inner = this.#outer.child();
    const { sources } = this.#notebook;
    this.#list.replaceChildren(...sources.map((source) => this.#chip(source)));
  }

  #chip(source: string): HTMLElement {
    const uses = this.#notebook.uses(source);
    const label = fill(uses ? this.#texts.source_used : this.#texts.source_remove, { source, n: uses });
    const remove = make("button", { type: "button", class: "chip__remove", "aria-label": label, title: label }, "×");
    if (uses) remove.setAttribute("aria-disabled", "true");
    this.#inner.listen(remove, "click", () => this.#notebook.removeSource(source));
    return make("li", { class: "chip" }, make("span", {}, source), remove);
  }
}
