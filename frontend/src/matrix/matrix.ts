// Matrix of a collection's cells as buttons: one sound at a time, arrows from cell to cell, Escape for silence.
import { fill, gettext } from "../lib/i18n.ts";
import type { Scope } from "../lib/scope.ts";
import { FIXED_GAIN } from "../player/output.ts";

interface Place {
  row: number;
  column: number;
}

const STEPS: Record<string, Place> = {
  ArrowUp: { row: -1, column: 0 },
  ArrowDown: { row: 1, column: 0 },
  ArrowLeft: { row: 0, column: -1 },
  ArrowRight: { row: 0, column: 1 },
};

/** The next cell that exists in the direction of the key, over any gap; null at the edge or for another key. */
export function nextPlace(key: string, from: Place, exists: boolean[][]): Place | null {
  if (key === "Home" || key === "End") return edge(key, from.row, exists);
  const step = STEPS[key];
  if (!step) return null;
  let { row, column } = from;
  for (;;) {
    row += step.row;
    column += step.column;
    const cells = exists[row];
    if (!cells || column < 0 || column >= cells.length) return null;
    if (cells[column]) return { row, column };
  }
}

function edge(key: "Home" | "End", row: number, exists: boolean[][]): Place | null {
  const cells = exists[row] ?? [];
  const column = key === "Home" ? cells.indexOf(true) : cells.lastIndexOf(true);
  return column < 0 ? null : { row, column };
}

/** Matrix of cells that play: one sound at a time, arrows from cell to cell, Escape for silence. */
export class Matrix {
  readonly #cells: (HTMLElement | null)[][];
  readonly #sound = new Audio();
  readonly #status: HTMLElement;
  #playing: HTMLElement | null = null;

  constructor(table: HTMLTableElement, status: HTMLElement, scope: Scope) {
    this.#status = status;
    this.#sound.volume = FIXED_GAIN;
    this.#cells = [...table.tBodies].flatMap((body) =>
      [...body.rows].map((row) =>
        [...row.cells].slice(1).map((cell) => cell.querySelector<HTMLElement>("[data-clip]")),
      ),
    );
    this.#focusable(this.#cells.flat().find((cell) => cell !== null) ?? null);
    scope.listen<MouseEvent>(table, "click", (event) => this.#click(event));
    scope.listen<KeyboardEvent>(table, "keydown", (event) => this.#move(event));
    scope.listen<KeyboardEvent>(document, "keydown", (event) => event.key === "Escape" && this.#stop());
    scope.listen(this.#sound, "ended", () => this.#stop());
    scope.listen(this.#sound, "error", () => this.#failed());
    scope.own(() => this.#sound.pause());
  }

  #click(event: MouseEvent): void {
    const cell = (event.target as Element).closest<HTMLElement>("[data-clip]");
    if (!cell) return;
    this.#focusable(cell);
    if (!cell.dataset.clip) return; // a long recording's link leads to its own page
    if (cell === this.#playing) this.#stop();
    else this.#play(cell);
  }

  #move(event: KeyboardEvent): void {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return; // Alt with an arrow leads back a page
    const from = this.#placeOf(event.target as HTMLElement);
    const exists = this.#cells.map((row) => row.map(Boolean));
    const to = from && nextPlace(event.key, from, exists);
    const cell = to && this.#cells[to.row]?.[to.column];
    if (!cell) return;
    event.preventDefault();
    this.#focusable(cell);
    cell.focus();
  }

  #play(cell: HTMLElement): void {
    this.#stop();
    this.#playing = cell;
    this.#status.textContent = ""; // the same sentence again is said again
    cell.setAttribute("aria-pressed", "true");
    this.#sound.src = cell.dataset.clip ?? "";
    // What a click on another cell breaks off has not failed.
    this.#sound.play().catch((problem: Error) => problem.name !== "AbortError" && this.#failed());
  }

  #stop(): void {
    this.#sound.pause();
    this.#playing?.setAttribute("aria-pressed", "false");
    this.#playing = null;
  }

  #failed(): void {
    if (!this.#playing) return;
    this.#status.textContent = fill(gettext("{name} could not be played. Load the page again."), {
      name: this.#playing.dataset.name ?? "",
    });
    this.#stop();
  }

  #placeOf(cell: HTMLElement): Place | null {
    const row = this.#cells.findIndex((cells) => cells.includes(cell));
    return row < 0 ? null : { row, column: this.#cells[row]?.indexOf(cell) ?? 0 };
  }

  /** One cell of the matrix is reached by Tab; the arrows lead on from there. */
  #focusable(chosen: HTMLElement | null): void {
    for (const cell of this.#cells.flat()) if (cell) cell.tabIndex = cell === chosen ? 0 : -1;
  }
}
