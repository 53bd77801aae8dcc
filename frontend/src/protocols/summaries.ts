// Speech summaries in the browser: makers pick the words that stay, judges rate versions whose source is hidden.
import { fill, need } from "../lib/dom.ts";
import type { Scope } from "../lib/scope.ts";
import { pageOf } from "../summaries/contract.ts";
import { Judging } from "../summaries/judging.ts";
import { Making } from "../summaries/making.ts";
import { readSummaryTexts } from "../summaries/texts.ts";
import type { Desk, ShownPage } from "../trial/contract.ts";

const VIEWS = { maker: Making, judge: Judging };

export function open(root: HTMLElement, page: ShownPage, desk: Desk, scope: Scope): void {
  const { group } = pageOf(page);
  const texts = readSummaryTexts();
  root.replaceChildren(desk.markup);
  for (const other of root.querySelectorAll(`[data-only]:not([data-only=${group}])`)) other.remove();
  need("[data-part=where]", root).textContent = fill(texts.where, { n: page.place.number, of: page.place.of });
  const words = page.labels[group === "maker" ? "WORDS" : "QUALITY"];
  for (const part of ["question", "attend"] as const) {
    const place = need(`[data-part=${part}]`, root);
    place.textContent = words?.[part] ?? "";
    place.lang = words?.language ?? "";
  }
  scope.listen(need("[data-part=keys]", root), "click", () => need<HTMLDialogElement>("#key-sheet").showModal());
  new VIEWS[group](root, page, desk, texts, scope).focus();
}
