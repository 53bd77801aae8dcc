// The TC/SD plane in the browser: a recording of a day, its summaries, and a plane on which each becomes a cross.
import { fill, make, need } from "../lib/dom.ts";
import type { Scope } from "../lib/scope.ts";
import type { PlanePage } from "../plane/contract.ts";
import { openExample } from "../plane/example.ts";
import { Rating } from "../plane/rating.ts";
import { type PlaneTexts, readPlaneTexts } from "../plane/texts.ts";
import type { Desk, ScaleWords, ShownPage } from "../trial/contract.ts";

export function open(root: HTMLElement, page: ShownPage, desk: Desk, scope: Scope): void {
  root.replaceChildren(desk.markup);
  const workspace = need("[data-part=workspace]", root);
  const isExample = (page.page as unknown as PlanePage).example !== null;
  const texts = readPlaneTexts();
  workspace.dataset.kind = isExample ? "example" : "rating";
  need("[data-part=where]", root).textContent = whereText(page, desk, texts, isExample);
  need("[data-part=about]", root).textContent = isExample ? "" : aboutText(page, desk, texts);
  defineCriteria(root, page, scope);
  scope.listen(need("[data-part=keys]", root), "click", () => need<HTMLDialogElement>("#key-sheet").showModal());
  if (isExample) openExample(workspace, page, desk, texts, scope);
  else new Rating(workspace, page, desk, texts, scope);
}

function whereText({ session }: ShownPage, { sessions }: Desk, texts: PlaneTexts, isExample: boolean): string {
  const rated = sessions.filter((one) => one.session > 0).length;
  if (isExample) return texts.where_example;
  return rated > 1 ? fill(texts.where, { n: session, of: rated }) : texts.where_one;
}

/** How long a recording takes, as the plan of the sessions has it. */
function aboutText({ session }: ShownPage, { sessions }: Desk, texts: PlaneTexts): string {
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
