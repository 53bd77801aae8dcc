// Dialogs over a trial: the sheet of keys, a pause, a problem with the clip, and the review before handing in.
import { make, need } from "../lib/dom.ts";
import { fill, gettext } from "../lib/i18n.ts";
import type { Scope } from "../lib/scope.ts";
import type { TrialPage } from "./contract.ts";
import type { Keys } from "./keys.ts";

const SHORTCUTS_KEY = "earmark-shortcuts";

/** The sheet of keys, and the choice to do without them (WCAG 2.1.4), remembered on this device. */
export function wireKeySheet(scope: Scope, keys: Keys, allowed: boolean): void {
  const sheet = need<HTMLDialogElement>("#key-sheet");
  const choice = need<HTMLInputElement>("#shortcuts");
  let wanted = true;
  try {
    wanted = localStorage.getItem(SHORTCUTS_KEY) !== "off";
  } catch {
    // Not remembered on this device; the keys work.
  }
  choice.checked = keys.enabled = allowed && wanted;
  choice.disabled = !allowed;
  scope.listen(choice, "change", () => {
    keys.enabled = choice.checked;
    try {
      localStorage.setItem(SHORTCUTS_KEY, choice.checked ? "on" : "off");
    } catch {
      // Holds for this page.
    }
  });
  const open = () => {
    sheet.showModal();
    return true;
  };
  scope.listen(need("#keys"), "click", open);
  keys.on(scope, (event) => event.key === "?" && open());
}

/** Open a dialog by its button, or by its letter while a trial is shown; `opened` first, `closed` with what was pressed. */
export function wireTrialDialog(
  scope: Scope,
  keys: Keys,
  at: { dialog: string; button: string; letter: string },
  then: { opened?: () => void; closed?: (pressed: string) => void },
): void {
  const dialog = need<HTMLDialogElement>(at.dialog);
  const trial = need("#trial");
  const open = () => {
    then.opened?.();
    dialog.returnValue = "";
    dialog.showModal();
  };
  scope.listen(need(at.button), "click", open);
  scope.listen(dialog, "close", () => then.closed?.(dialog.returnValue));
  keys.onUnused(scope, ({ key }) => {
    if (key.toLowerCase() !== at.letter || trial.hidden) return false;
    open();
    return true;
  });
}

/** The id of the page to open again, or that all is to be handed in. */
type AfterReview = { open: string } | "submit";

/** Before everything is handed in: every page with what became of it, each of which can be opened again. */
export class Review {
  readonly #scope: Scope;
  readonly #section = need("#review");

  constructor(scope: Scope) {
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
    const name = fill(gettext("Part {session}, page {number} of {of}"), {
      session: page.session,
      number: page.place.number,
      of: page.place.of,
    });
    const button = make("button", { type: "button", class: "button button--small button--quiet" }, name);
    scope.listen(button, "click", open);
    return make("li", {}, button);
  }
}
