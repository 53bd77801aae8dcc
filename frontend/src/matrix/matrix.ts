// The cells of a collection as keys to press: one sound at a time, arrows from cell to cell, Escape for silence.
import { fill } from "../lib/dom.ts";
import type { Scope } from "../lib/scope.ts";
import { FIXED_GAIN } from "../player/output.ts";
import { nextPlace, type Place } from "./grid.ts";

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
    this.#status.textContent = fill(this.#status.dataset.textFailed ?? "", {
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
