// Dialogs over a trial: the sheet of keys, a pause, a problem with the clip, and the review before handing in.
import { make, need } from "../lib/dom.ts";
import { fill, gettext } from "../lib/i18n.ts";
import type { Scope } from "../lib/scope.ts";
import type { ProtocolView, TrialPage } from "./contract.ts";
import type { Keys } from "./keys.ts";
import type { Screen } from "./screen.ts";

const SHORTCUTS_KEY = "earmark-shortcuts";

/** The sheet of keys, and the choice to do without them (WCAG 2.1.4), remembered on this device. */
export function wireKeySheet(scope: Scope, keys: Keys, screen: Screen, allowed: boolean): void {
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
  scope.listen(sheet, "close", () => screen.resume());
  keys.on(scope, (event) => event.key === "?" && open());
}

interface TrialDialog {
  dialog: string;
  button: string;
  letter: string;
  opened: () => void;
  /** With the value of the button that closed it. */
  closed: (pressed: string) => void;
}

/** Open a dialog by its button, or by its letter where the button is seen; the focus then goes back to the trial. */
function wireTrialDialog(scope: Scope, keys: Keys, screen: Screen, then: TrialDialog): void {
  const dialog = need<HTMLDialogElement>(then.dialog);
  const button = need(then.button);
  const open = () => {
    then.opened();
    dialog.returnValue = "";
    dialog.showModal();
  };
  scope.listen(button, "click", open);
  scope.listen(dialog, "close", () => {
    screen.resume();
    then.closed(dialog.returnValue);
  });
  keys.onUnused(scope, ({ key }) => {
    if (key.toLowerCase() !== then.letter || !button.checkVisibility()) return false;
    open();
    return true;
  });
}

/** A pause during a trial. */
export function wirePause(scope: Scope, keys: Keys, screen: Screen, paused: (paused: boolean) => void): void {
  const at = { dialog: "#paused", button: "#pause", letter: "p" };
  wireTrialDialog(scope, keys, screen, { ...at, opened: () => paused(true), closed: () => paused(false) });
}

/** The report of a clip that went wrong: nothing is chosen beforehand, and a choice lets it be sent. */
export function wireProblem(
  scope: Scope,
  keys: Keys,
  screen: Screen,
  then: { opened: () => void; send: (reason: string) => void },
): void {
  const form = need<HTMLFormElement>("#clip-problem form");
  const send = need<HTMLButtonElement>("#send-problem");
  const sendReason = need("#send-reason");
  const choice = () => form.querySelector<HTMLInputElement>("input[name=reason]:checked")?.value;
  const offer = () => {
    send.disabled = choice() === undefined;
    sendReason.hidden = !send.disabled;
  };
  scope.listen(form, "change", offer);
  wireTrialDialog(scope, keys, screen, {
    dialog: "#clip-problem",
    button: "#problem",
    letter: "x",
    opened: () => {
      form.reset();
      offer();
      then.opened();
    },
    closed: (pressed) => {
      const reason = choice();
      if (pressed === "send" && reason !== undefined) then.send(reason);
    },
  });
}

type PageName = NonNullable<ProtocolView["pageName"]>;

const pageName: PageName = (n, of) => fill(gettext("Page {n} of {of}"), { n, of });

/** The id of the page to open again, or that all is to be handed in. */
type AfterReview = { open: string } | "submit";

/** Before everything is handed in: every page that counts, each of which can be opened again. */
export class Review {
  readonly #scope: Scope;
  readonly #section = need("#review");

  constructor(scope: Scope) {
    this.#scope = scope;
  }

  /** With a name for each page by its number. */
  async show(pages: readonly TrialPage[], nameOf: PageName = pageName): Promise<AfterReview> {
    const scope = this.#scope.child();
    const after = await new Promise<AfterReview>((resolve) => {
      const counted = pages.filter(({ session }) => session > 0);
      const lines = counted.map(({ trial }, index) => {
        return this.#line(nameOf(index + 1, counted.length), scope, () => resolve({ open: trial }));
      });
      need("#review-pages", this.#section).replaceChildren(...lines);
      scope.listen(need("#submit", this.#section), "click", () => resolve("submit"));
      this.#section.hidden = false;
      need("h1", this.#section).focus();
    });
    this.#section.hidden = true;
    scope.dispose();
    return after;
  }

  #line(name: string, scope: Scope, open: () => void): HTMLElement {
    const button = make("button", { type: "button", class: "button button--small button--quiet" }, name);
    scope.listen(button, "click", open);
    return make("li", {}, button);
  }
}
