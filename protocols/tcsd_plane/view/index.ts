// The TC/SD plane in the browser: a recording of a day, its summaries, and a plane on which each becomes a cross.
import { fill, make, need } from "../../../frontend/src/lib/dom.ts";
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import type { ScaleWords, ShownPage, WorkspaceHost } from "../../../frontend/src/trial/contract.ts";
import type { PlanePage } from "./contract.ts";
import { openExample } from "./example.ts";
import { Rating } from "./rating.ts";
import { type PlaneTexts, readPlaneTexts } from "./texts.ts";

export function open(host: WorkspaceHost, page: ShownPage, scope: Scope): void {
  const root = host.showWorkspace();
  const workspace = need("[data-part=workspace]", root);
  const isExample = (page.page as unknown as PlanePage).example !== null;
  const texts = readPlaneTexts();
  workspace.dataset.kind = isExample ? "example" : "rating";
  need("[data-part=where]", root).textContent = whereText(page, host, texts, isExample);
  need("[data-part=about]", root).textContent = isExample ? "" : aboutText(page, host, texts);
  defineCriteria(root, page, scope);
  scope.listen(need("[data-part=keys]", root), "click", () => need<HTMLDialogElement>("#key-sheet").showModal());
  if (isExample) openExample(workspace, page, host, texts, scope);
  else new Rating(workspace, page, host, texts, scope);
}

function whereText({ session }: ShownPage, { sessions }: WorkspaceHost, texts: PlaneTexts, isExample: boolean): string {
  const rated = sessions.filter((one) => one.session > 0).length;
  if (isExample) return texts.where_example;
  return rated > 1 ? fill(texts.where, { n: session, of: rated }) : texts.where_one;
}

/** How long a recording takes, as the plan of the sessions has it. */
function aboutText({ session }: ShownPage, { sessions }: WorkspaceHost, texts: PlaneTexts): string {
  const seconds = sessions.find((one) => one.session === session)?.seconds_left ?? 0;
  return seconds > 0 ? fill(texts.about, { minutes: Math.round(seconds / 60) }) : "";
}

/** What TC and SD mean, in the words of the test, one key away. */
function defineCriteria(root: HTMLElement, { labels }: ShownPage, scope: Scope): void {
  const dialog = need<HTMLDialogElement>("[data-part=criteria]", root);
  const rows = Object.entries(labels).flatMap(([name, words]) => definition(name, words));
  need("dl", dialog).replaceChildren(...rows);
  scope.listen(need("[data-part=criteria-open]", root), "click", () => dialog.showModal());
}

function definition(name: string, { language, word, question, attend }: ScaleWords): HTMLElement[] {
  return [
    make("dt", { lang: language }, `${word} (${name})`),
    make("dd", { lang: language }, make("p", {}, question), make("p", {}, attend)),
  ];
}
