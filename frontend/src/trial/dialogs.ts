// What can be opened over a trial: the sheet of keys, a pause, and "something went wrong with this clip".
import { need } from "../lib/dom.ts";
import type { Scope } from "../lib/scope.ts";
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
  keys.on(scope, ({ key }) => {
    if (key.toLowerCase() !== at.letter || trial.hidden) return false;
    open();
    return true;
  });
}
