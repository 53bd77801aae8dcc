// Results page, live: what the server renders is fetched again when it changed; [data-result-plot] is drawn here.
// [data-result="<api address>"] says which edition is the newest. It is asked twice a second, and more often while the server computes.
// [data-png="<selector>"] takes a figure away under its data-name.
import { embedded, make, need, REPLACED } from "../lib/dom.ts";
import { requestJson } from "../lib/http.ts";
import { Scope } from "../lib/scope.ts";
import { byScale, type ResultRow } from "../plot/ci.ts";
import { drawPlot, figures, pngOf } from "../plot/draw.ts";

const POLL_MS = 500;
const COMPUTING_MS = 100;

interface State {
  edition: string;
  stale: boolean;
  main_current: boolean; // only adjusted models and screening may be missing
}

interface Plot {
  scales: { key: string; low: number; high: number }[];
  rows: ResultRow[];
}

class ResultView {
  readonly #root: HTMLElement;
  readonly #figure = figures(document.documentElement.lang);

  constructor(root: HTMLElement, scope: Scope) {
    this.#root = root;
    const place = root.querySelector<HTMLElement>("[data-result-plot]"); // none where the server draws the picture
    if (place) scope.observe(this.#drawToWidth(place, embedded<Plot>("result-plot")));
  }

  get edition(): string {
    return this.#root.dataset.edition ?? "";
  }

  async ask(signal: AbortSignal): Promise<State> {
    return requestJson<State>(this.#root.dataset.result ?? "", { signal });
  }

  show({ stale, main_current: current }: State): void {
    const status = this.#root.querySelector<HTMLElement>("[data-updating]");
    if (status && stale && !current) status.textContent = status.dataset.updating ?? "";
  }

  #draw(place: HTMLElement, { scales, rows }: Plot): void {
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

  /** Draw the plot as wide as its place, at once and whenever that changes. */
  #drawToWidth(place: HTMLElement, plot: Plot): ResizeObserver {
    let width = 0;
    const observer = new ResizeObserver(([entry]) => {
      const now = Math.round(entry?.contentRect.width ?? 0);
      if (now !== width) this.#draw(place, plot);
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
      const states = await Promise.all(this.#views.map((view) => view.ask(this.#scope.signal)));
      const changed = this.#views.some((view, index) => view.edition !== states[index]?.edition);
      if (changed && (await this.#replace())) return false; // it has begun again
      this.#views.forEach((view, index) => {
        const state = states[index];
        if (state) view.show(state);
      });
      return states.some(({ stale }) => stale);
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
