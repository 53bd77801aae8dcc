// List of all clips with their state; each can be opened until everything is handed in.
import { make, need } from "../../../frontend/src/lib/dom.ts";
import { fill, gettext } from "../../../frontend/src/lib/i18n.ts";
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import type { TrialPage, WorkspaceHost } from "../../../frontend/src/trial/contract.ts";
import { pageOf } from "./contract.ts";

interface PageListParts {
  scope: Scope;
  root: ParentNode;
  trial: string;
  host: WorkspaceHost;
  /** Keep what was entered; then the page is left. */
  leave: () => void;
}

export class PageList {
  readonly #parts: PageListParts;
  readonly #dialog: HTMLDialogElement;

  constructor(parts: PageListParts) {
    this.#parts = parts;
    const { scope, root } = parts;
    this.#dialog = need("[data-part=list]", root);
    scope.listen(need("[data-act=list]", root), "click", () => void this.open());
    scope.listen(need("[data-act=back]", root), "click", () => void this.back());
    scope.listen<MouseEvent>(need("[data-part=list-pages]", this.#dialog), "click", ({ target }) => {
      const trial = (target as Element).closest<HTMLElement>("[data-trial]")?.dataset.trial;
      if (trial) this.#turnTo(trial);
    });
  }

  async open(): Promise<void> {
    const { scope } = this.#parts;
    const status = need("[data-part=list-status]", this.#dialog);
    status.textContent = navigator.onLine
      ? gettext("Fetching your answers")
      : gettext("This needs the network, which is away at the moment. Everything you enter is kept.");
    this.#dialog.showModal();
    this.#parts.leave();
    const pages = await this.#parts.host.pages();
    if (scope.disposed) return;
    status.textContent = "";
    need("[data-part=list-pages]", this.#dialog).replaceChildren(...this.#blocks(pages));
    this.#dialog.querySelector<HTMLElement>("[aria-current]")?.focus();
  }

  /** To the page before this one, in the order in which they come. */
  async back(): Promise<void> {
    const { host, trial, leave, scope } = this.#parts;
    if (!navigator.onLine) {
      host.notice(gettext("This needs the network, which is away at the moment. Everything you enter is kept."));
      return;
    }
    leave();
    const pages = await host.pages();
    const before = pages[pages.findIndex((page) => page.trial === trial) - 1];
    if (before && !scope.disposed) host.turnTo(before.trial);
  }

  #turnTo(trial: string): void {
    const { host, leave } = this.#parts;
    this.#dialog.close();
    if (trial === this.#parts.trial) return;
    leave();
    host.turnTo(trial);
  }

  #blocks(pages: readonly TrialPage[]): HTMLElement[] {
    const sessions = [...new Set(pages.map(({ session }) => session))];
    const blocks = sessions.filter((session) => session > 0);
    return sessions.map((session) => {
      const lines = pages.filter((page) => page.session === session).map((page) => this.#line(page));
      const list = make("ol", { class: "thumbs-list" }, ...lines);
      const name = fill(gettext("Block {n}"), { n: blocks.indexOf(session) + 1 });
      return make("section", {}, ...(session > 0 && blocks.length > 1 ? [make("h3", {}, name)] : []), list);
    });
  }

  #line(page: TrialPage): HTMLElement {
    const { trial } = this.#parts;
    const isExample = pageOf(page).example !== undefined;
    const state = page.answered ? "whole" : page.draft === null ? "open" : "begun";
    const words = { whole: gettext("answered"), begun: gettext("begun"), open: gettext("not begun") };
    const name = isExample
      ? gettext("Example")
      : fill(gettext("Clip {n} of {of}"), { n: page.place.number, of: page.place.of });
    const button = make(
      "button",
      { type: "button", class: "thumbs-list__page" },
      make("span", {}, name),
      make("span", { class: "small" }, words[state]),
    );
    button.dataset.trial = page.trial;
    button.dataset.state = state;
    if (page.trial === trial) button.setAttribute("aria-current", "page");
    return make("li", {}, button);
  }
}
