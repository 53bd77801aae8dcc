// The experimenter's results, live: [data-result="<api address>"] is asked every three seconds and redrawn when it changed.
import { fill, make, need } from "../lib/dom.ts";
import { requestJson } from "../lib/http.ts";
import { Scope } from "../lib/scope.ts";
import { byScale, type ResultRow } from "../plot/ci.ts";
import { drawPlot } from "../plot/draw.ts";
import { cellsOf, figures } from "../plot/rows.ts";

const POLL_MS = 3000;

interface Result {
  stale: boolean;
  vote_count: number;
  table: { rows: ResultRow[] };
}

class ResultView {
  readonly #root: HTMLElement;
  readonly #scope: Scope;
  readonly #figure = figures(document.documentElement.lang);
  #shown = "";
  #rows: ResultRow[] = [];

  constructor(root: HTMLElement, scope: Scope) {
    this.#root = root;
    this.#scope = scope;
    scope.observe(this.#watchWidth());
    scope.every(POLL_MS, () => document.visibilityState === "visible" && void this.refresh());
  }

  async refresh(): Promise<void> {
    try {
      const url = this.#root.dataset.result ?? "";
      this.#show(await requestJson<Result>(url, { signal: this.#scope.signal }));
    } catch {
      // The figures on the page stay true for the votes they count; the next round asks again.
    }
  }

  #show(result: Result): void {
    const text = JSON.stringify(result);
    if (text === this.#shown) return;
    this.#shown = text;
    this.#rows = result.table.rows;
    this.#showState(result);
    this.#drawTable();
    this.#drawPlot();
  }

  #showState(result: Result): void {
    const state = this.#root.querySelector<HTMLElement>("[data-result-state]");
    const sentence = result.stale ? state?.dataset.textStale : state?.dataset.textFresh;
    const count = result.vote_count.toLocaleString(document.documentElement.lang || undefined);
    if (state && sentence) state.textContent = fill(sentence, { n: count });
  }

  #drawTable(): void {
    const body = need("[data-result-table] tbody", this.#root);
    if (!this.#rows.length) return; // the page's own "no answers yet" stays
    const line = (row: ResultRow) =>
      make(
        "tr",
        {},
        ...cellsOf(row, this.#figure).map((cell) => make("td", cell.numeric ? { class: "num" } : {}, cell.text)),
      );
    body.replaceChildren(...this.#rows.map(line));
  }

  #drawPlot(): void {
    const place = need("[data-result-plot]", this.#root);
    const groups = byScale(this.#rows);
    const parts = [...groups].flatMap(([scale, rows]) => [
      ...(groups.size > 1 ? [make("h3", {}, scale)] : []),
      drawPlot(rows, place.clientWidth, this.#figure),
    ]);
    place.replaceChildren(...parts);
  }

  #watchWidth(): ResizeObserver {
    let width = 0;
    const observer = new ResizeObserver(([entry]) => {
      const now = Math.round(entry?.contentRect.width ?? 0);
      if (now !== width && this.#rows.length) this.#drawPlot();
      width = now;
    });
    observer.observe(need("[data-result-plot]", this.#root));
    return observer;
  }
}

const scope = new Scope();
for (const root of document.querySelectorAll<HTMLElement>("[data-result]")) void new ResultView(root, scope).refresh();
