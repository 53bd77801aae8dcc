// Results page, live: what the server renders is fetched again when it changed; [data-result-plot] is drawn here.
// [data-result="<api address>"] is asked twice a second, and more often while the server computes. [data-png="<selector>"] takes a figure away under its data-name.
import { make, need, REPLACED } from "../lib/dom.ts";
import { requestJson } from "../lib/http.ts";
import { Scope } from "../lib/scope.ts";
import { byScale, type ResultRow } from "../plot/ci.ts";
import { drawPlot, figures, pngOf } from "../plot/draw.ts";

const POLL_MS = 500;
const COMPUTING_MS = 250;

interface Result {
  edition: string;
  stale: boolean;
  scales: { key: string; low: number; high: number }[];
  table: Record<string, ResultRow[]>;
}

class ResultView {
  readonly #root: HTMLElement;
  readonly #plot: HTMLElement | null; // none where the server draws the picture
  readonly #figure = figures(document.documentElement.lang);
  #result: Result | null = null;

  constructor(root: HTMLElement, scope: Scope) {
    this.#root = root;
    this.#plot = root.querySelector<HTMLElement>("[data-result-plot]");
    if (this.#plot) scope.observe(this.#watchWidth(this.#plot));
  }

  get edition(): string {
    return this.#root.dataset.edition ?? "";
  }

  async ask(signal: AbortSignal): Promise<Result> {
    return requestJson<Result>(this.#root.dataset.result ?? "", { signal });
  }

  show(result: Result): void {
    const status = this.#root.querySelector<HTMLElement>("[data-updating]");
    if (status && result.stale) status.textContent = status.dataset.updating ?? "";
    if (this.#result?.edition === result.edition) return;
    this.#result = result;
    this.#draw();
  }

  #draw(): void {
    const place = this.#plot;
    if (!this.#result || !place) return;
    const { scales, table } = this.#result;
    const { unitTable = "rows", scale: only } = this.#root.dataset;
    const rows = (table[unitTable] ?? []).filter((row) => !only || row.scale === only);
    const parts = [...byScale(rows)].flatMap(([scale, group]) => [
      ...(scales.length > 1 ? [make("h3", {}, scale)] : []),
      drawPlot(
        group,
        place.clientWidth,
        this.#figure,
        scales.find(({ key }) => key === scale),
      ),
    ]);
    place.replaceChildren(...parts);
  }

  #watchWidth(place: HTMLElement): ResizeObserver {
    let width = 0;
    const observer = new ResizeObserver(([entry]) => {
      const now = Math.round(entry?.contentRect.width ?? 0);
      if (now !== width) this.#draw();
      width = now;
    });
    observer.observe(place);
    return observer;
  }
}

async function savePicture({ dataset }: HTMLElement): Promise<void> {
  const picture = await pngOf(need<SVGSVGElement>(dataset.png ?? ""));
  make("a", { href: picture, download: dataset.name ?? "figure.png" }).click();
}

/** Everything in [data-results]; it begins again whenever the server's tables were put in place. */
class Results {
  #scope = new Scope();
  #views: ResultView[] = [];

  begin(): void {
    this.#views = [...document.querySelectorAll<HTMLElement>("[data-result]")].map(
      (root) => new ResultView(root, this.#scope),
    );
    for (const button of document.querySelectorAll<HTMLElement>("[data-png]"))
      this.#scope.listen(button, "click", () => void savePicture(button));
    void this.#follow(this.#scope);
  }

  async #follow(scope: Scope): Promise<void> {
    const computing = document.visibilityState === "visible" && (await this.refresh());
    scope.after(computing ? COMPUTING_MS : POLL_MS, () => void this.#follow(scope)); // does nothing in place of a newer one
  }

  /** Show what is new; whether the server is still computing. */
  async refresh(): Promise<boolean> {
    try {
      const results = await Promise.all(this.#views.map((view) => view.ask(this.#scope.signal)));
      const changed = this.#views.some((view, index) => view.edition !== results[index]?.edition);
      if (changed && (await this.#replace())) return false; // it has begun again
      this.#views.forEach((view, index) => {
        const result = results[index];
        if (result) view.show(result);
      });
      return results.some(({ stale }) => stale);
    } catch {
      return false; // The figures on the page stay true for the votes they count; the next round asks again.
    }
  }

  /** Put the server's newest tables in place of the shown ones, with the same parts open and the same control in focus. */
  async #replace(): Promise<boolean> {
    const answer = await fetch(window.location.href, { signal: this.#scope.signal });
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("[data-results]");
    if (!answer.ok || !fresh) return false;
    const place = need("[data-results]");
    if (place.matches(":active")) return false; // a button that is gone when the mouse is released has not been clicked
    const opened = [...place.querySelectorAll("details[open]")].map(({ id }) => id);
    const focused = place.contains(document.activeElement) ? document.activeElement?.id : undefined;
    this.#scope.dispose();
    this.#scope = new Scope();
    place.replaceChildren(...fresh.childNodes);
    for (const id of opened) document.getElementById(id)?.setAttribute("open", "");
    if (focused) document.getElementById(focused)?.focus();
    this.begin();
    document.dispatchEvent(new Event(REPLACED));
    return true;
  }
}

new Results().begin();
