// View of speech summaries: makers pick the words that stay, judges rate versions whose source is hidden.
import { need } from "../../../frontend/src/lib/dom.ts";
import { fill, gettext } from "../../../frontend/src/lib/i18n.ts";
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import type { ShownPage, WorkspaceHost } from "../../../frontend/src/trial/contract.ts";
import { pageOf } from "./contract.ts";
import { Judging } from "./judging.ts";
import { Making } from "./making.ts";

const VIEWS = { maker: Making, judge: Judging };

export function pageName(n: number, of: number): string {
  return fill(gettext("Sentence {n} of {of}"), { n, of });
}

export function open(host: WorkspaceHost, page: ShownPage, scope: Scope): void {
  const { group } = pageOf(page);
  const root = host.showWorkspace();
  for (const other of root.querySelectorAll(`[data-only]:not([data-only=${group}])`)) other.remove();
  need("[data-part=where]", root).textContent = pageName(page.place.number, page.place.of);
  const words = page.labels[group === "maker" ? "WORDS" : "QUALITY"];
  for (const part of ["question", "attend"] as const) {
    const place = need(`[data-part=${part}]`, root);
    place.textContent = words?.[part] ?? "";
    place.lang = words?.language ?? "";
  }
  scope.listen(need("[data-part=keys]", root), "click", () => need<HTMLDialogElement>("#key-sheet").showModal());
  const work = new VIEWS[group](root, page, host, scope);
  work.focus();
  host.resumeAt(() => work.resume());
}
