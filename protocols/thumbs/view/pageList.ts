// List of all clips with their state; each can be opened until everything is handed in.
import { make, need } from "../../../frontend/src/lib/dom.ts";
import { fill, gettext } from "../../../frontend/src/lib/i18n.ts";
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import type { SessionSummary, TrialPage, WorkspaceHost } from "../../../frontend/src/trial/contract.ts";
import { offlineText, openPageBefore } from "../../../frontend/src/workspace/pageBefore.ts";
import { pageOf } from "./contract.ts";

/** Place of a clip among all clips of the visit; the example is none of them. */
export function placeAmong(
  page: Pick<TrialPage, "session" | "place">,
  sessions: readonly SessionSummary[],
): { number: number; of: number } {
  const sum = (some: readonly SessionSummary[]) => some.reduce((all, { total }) => all + total, 0);
  const rated = sessions.filter(({ session }) => session > 0);
  const before = rated.filter(({ session }) => session < page.session);
  return { number: sum(before) + page.place.number, of: sum(rated) };
}

export function clipName(page: TrialPage, sessions: readonly SessionSummary[]): string {
  const { number, of } = placeAmong(page, sessions);
  return pageName(number, of);
}

export function pageName(n: number, of: number): string {
  return fill(gettext("Clip {n} of {of}"), { n, of });
}

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
    status.textContent = navigator.onLine ? gettext("Loading…") : offlineText();
    this.#dialog.showModal();
    this.#parts.leave();
    const pages = await this.#parts.host.pages();
    if (scope.disposed) return;
    status.textContent = "";
    const lines = pages.map((page) => this.#line(page));
    need("[data-part=list-pages]", this.#dialog).replaceChildren(make("ol", { class: "thumbs-list" }, ...lines));
    this.#dialog.querySelector<HTMLElement>("[aria-current]")?.focus();
  }

  /** To the page before this one, in the order in which they come. */
  back(): Promise<void> {
    return openPageBefore(this.#parts);
  }

  #turnTo(trial: string): void {
    const { host, leave } = this.#parts;
    this.#dialog.close();
    if (trial === this.#parts.trial) return;
    leave();
    host.turnTo(trial);
  }

  #line(page: TrialPage): HTMLElement {
    const { trial, host } = this.#parts;
    const isExample = pageOf(page).example !== undefined;
    const state = page.answered ? "whole" : page.draft === null ? "open" : "begun";
    const words = { whole: gettext("done"), begun: gettext("started"), open: gettext("not started") };
    const name = isExample ? gettext("Worked example") : clipName(page, host.sessions);
    const button = make(
      "button",
      { type: "button", class: "thumbs-list__page" },
      make("span", {}, name),
      make("span", { class: "small state-mark" }, words[state]),
    );
    button.dataset.trial = page.trial;
    button.classList.toggle("is-done", state === "whole");
    button.classList.toggle("is-empty", state === "open");
    if (page.trial === trial) button.setAttribute("aria-current", "page");
    return make("li", {}, button);
  }
}
