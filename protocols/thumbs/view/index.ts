// View of THumBS: a clip and its captions on one page, or all captions of all clips in a grid.

import { need } from "../../../frontend/src/lib/dom.ts";
import { gettext } from "../../../frontend/src/lib/i18n.ts";
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import type { ShownPage, WorkspaceHost } from "../../../frontend/src/trial/contract.ts";
import { offlineText } from "../../../frontend/src/workspace/pageBefore.ts";
import { offersGrid, pageOf } from "./contract.ts";
import { openExample, wireRubric } from "./example.ts";
import { Grid } from "./grid.ts";
import { clipName, PageList, placeAmong } from "./pageList.ts";
import { Rating } from "./rating.ts";

export { pageName } from "./pageList.ts";

type Mode = "page" | "grid";

const KEY = "earmark-thumbs-mode";
let chosen: Mode | null = null; // where the device remembers nothing

/** One clip at a time, or all of them in a grid where the experiment has one: chosen once, remembered on this device. */
function modeOf(page: ShownPage): Mode {
  if (!offersGrid(page)) return "page";
  try {
    return (localStorage.getItem(KEY) ?? chosen) === "grid" ? "grid" : "page";
  } catch {
    return chosen ?? "page";
  }
}

function rememberMode(mode: Mode): void {
  chosen = mode;
  try {
    localStorage.setItem(KEY, mode);
  } catch {
    // Holds for this page.
  }
}

// What was answered in the grid, and not by opening its page: the list of pages ahead may still hold it as it was.
const answeredInGrid = new Set<string>();

/** THumBS in the browser: a clip and its captions on one page, or all captions of all clips in a grid. */
export function open(host: WorkspaceHost, page: ShownPage, scope: Scope): void {
  if (answeredInGrid.delete(page.trial)) {
    host.turnTo(page.trial);
    return;
  }
  const root = host.showWorkspace();
  const workspace = need("[data-part=workspace]", root);
  const isExample = pageOf(page).example !== undefined;
  const mode = isExample ? "example" : modeOf(page);
  workspace.dataset.mode = mode;
  tellPlace(workspace, page, host, isExample);
  scope.listen(need("[data-act=keys]", workspace), "click", () => need<HTMLDialogElement>("#key-sheet").showModal());
  const openRubric = wireRubric(scope, workspace, page, host);
  let flush = () => {};
  const list = new PageList({ scope, root: workspace, trial: page.trial, host, leave: () => flush() });
  if (isExample) openExample(workspace, page, host, scope, openRubric);
  else {
    const parts = { scope, root: workspace, page, host, list, openRubric };
    const worked = mode === "grid" ? new Grid({ ...parts, answered: answeredInGrid }) : new Rating(parts);
    flush = () => worked.flush();
    wireModes(workspace, page, host, scope, mode as Mode, flush);
  }
}

function tellPlace(root: HTMLElement, page: ShownPage, host: WorkspaceHost, isExample: boolean): void {
  const { number, of } = placeAmong(page, host.sessions);
  need("[data-part=where]", root).textContent = isExample ? gettext("Worked example") : clipName(page, host.sessions);
  const progress = need<HTMLProgressElement>("[data-part=progress]", root);
  progress.max = of;
  progress.value = number - 1;
  progress.hidden = isExample;
}

/** The page is opened anew in the other manner, with everything that was entered. */
function wireModes(
  root: HTMLElement,
  page: ShownPage,
  host: WorkspaceHost,
  scope: Scope,
  mode: Mode,
  flush: () => void,
): void {
  const modes = need("[data-part=modes]", root);
  modes.hidden = !offersGrid(page);
  for (const button of modes.querySelectorAll<HTMLElement>("[data-mode]")) {
    button.setAttribute("aria-pressed", String(button.dataset.mode === mode));
    scope.listen(button, "click", () => {
      if (button.dataset.mode === mode) return;
      if (!navigator.onLine) {
        host.notice(offlineText());
        return;
      }
      flush();
      rememberMode(button.dataset.mode as Mode);
      answeredInGrid.delete(page.trial);
      host.turnTo(page.trial);
    });
  }
}
