// Cells of the grid: their values and errors, moving between them, and pasting from a spreadsheet.
import { make } from "../../../frontend/src/lib/dom.ts";
import { fill, gettext } from "../../../frontend/src/lib/i18n.ts";
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import type { Scale } from "./contract.ts";
import type { GridRow } from "./grid.ts";
import { formatNumber, hasOnlyBegun, type PageAnswers, problemText, readScale } from "./scores.ts";

const CELL = /("(?:[^"]|"")*"|[^\t\n]*)(\t|\n|$)/g;

/** A block of cells as spreadsheets put it on the clipboard: tabs, lines, and quotes around cells that hold either. Pure. */
export function cellsIn(text: string): string[][] {
  const rows: string[][] = [[]];
  const plain = text.replace(/\r\n?/g, "\n").replace(/\n$/, "");
  for (const [whole, cell = "", end] of plain.matchAll(CELL)) {
    rows.at(-1)?.push(unquoted(cell));
    if (end === "\n") rows.push([]);
    else if (end === "" || whole === "") break;
  }
  return rows;
}

function unquoted(cell: string): string {
  const isQuoted = cell.length > 1 && cell.startsWith('"') && cell.endsWith('"');
  return isQuoted ? cell.slice(1, -1).replaceAll('""', '"') : cell;
}

const YES = ["yes", "y", "true", "1"];
const NO = ["no", "n", "false", "0"];

/** Yes or no, in English or in the words of the page; null for an empty cell, undefined for anything else. */
export function yesOrNo(text: string, words: { yes: string; no: string }): boolean | null | undefined {
  const given = text.trim().toLowerCase();
  if (!given) return null;
  if (given === words.yes.toLowerCase() || YES.includes(given)) return true;
  return given === words.no.toLowerCase() || NO.includes(given) ? false : undefined;
}

export type Column = Scale | "SYNTHESISED" | "COMMENT";

const LONGEST_COMMENT = 5000;
let made = 0;

interface CellParts {
  scope: Scope;
  answers: PageAnswers;
  slot: string;
  column: Column;
  step: number;
  /** What a reader says when the cell is entered. */
  name: string;
  changed: (cell: Cell, what: "number" | "comment") => void;
}

/** One cell of the grid: what stands in it, and what is wrong with it where it cannot be kept. */
export class Cell {
  readonly element: HTMLElement;
  readonly input: HTMLInputElement | HTMLSelectElement;
  readonly column: Column;
  readonly slot: string;
  /** The penalty that a positive number stands for, where it is one. */
  meant: number | undefined;
  readonly #parts: CellParts;
  readonly #problem: HTMLElement;

  constructor(parts: CellParts) {
    this.#parts = parts;
    this.column = parts.column;
    this.slot = parts.slot;
    made += 1;
    this.#problem = make("small", { class: "thumbs-cell__problem", id: `cell-${made}`, hidden: "" });
    this.input = this.#makeInput();
    this.input.setAttribute("aria-label", parts.name);
    this.input.setAttribute("aria-describedby", this.#problem.id);
    this.element = make("div", { class: "thumbs-cell" }, this.input, this.#problem);
    this.element.dataset.column = parts.column;
    parts.scope.listen(this.input, "input", () => this.#take(this.input.value, false));
    parts.scope.listen(this.input, "change", () => this.#take(this.input.value, true));
    this.#show();
  }

  get isDoubtful(): boolean {
    return !this.#problem.hidden;
  }

  /** As if it had been typed and left. */
  enter(text: string): void {
    this.input.value = this.input instanceof HTMLSelectElement ? "" : text.trim();
    this.#take(text, true);
  }

  #makeInput(): HTMLInputElement | HTMLSelectElement {
    const { column } = this.#parts;
    if (column === "SYNTHESISED") {
      const choices = [
        ["", ""],
        ["yes", gettext("Yes")],
        ["no", gettext("No")],
      ] as const;
      return make("select", {}, ...choices.map(([value, word]) => make("option", { value }, word)));
    }
    if (column === "COMMENT") return make("input", { type: "text", maxlength: String(LONGEST_COMMENT) });
    return make("input", { type: "text", class: "num", inputmode: "decimal", autocomplete: "off", placeholder: " " });
  }

  /** What is wrong is told while it is typed, so that nothing moves when the cell is left; a lone minus only then. */
  #take(text: string, isDone: boolean): void {
    const { changed, column } = this.#parts;
    const problem = this.#keep(text);
    this.#tell(isDone || !hasOnlyBegun(text) ? problem : "");
    if (isDone && !problem) this.#show();
    changed(this, column === "COMMENT" ? "comment" : "number");
  }

  /** Says what is wrong, or nothing. */
  #keep(text: string): string {
    const { answers, slot, column } = this.#parts;
    if (column === "COMMENT") {
      answers.setComment(slot, text.slice(0, LONGEST_COMMENT));
      return text.length > LONGEST_COMMENT
        ? fill(gettext("Only the first {n} characters were saved."), { n: LONGEST_COMMENT })
        : "";
    }
    if (column === "SYNTHESISED") {
      const answer = yesOrNo(text, { yes: gettext("Yes"), no: gettext("No") });
      answers.synthesised = answer ?? null;
      return answer === undefined
        ? fill(gettext("Enter yes or no. “{typed}” was not saved."), { typed: text.trim() })
        : "";
    }
    return this.#keepNumber(column, text.trim());
  }

  #keepNumber(scale: Scale, typed: string): string {
    const { answers, slot, step } = this.#parts;
    const reading = readScale(scale, typed, step);
    this.meant = "problem" in reading ? reading.meant : undefined;
    answers.set(slot, scale, "value" in reading ? reading.value : null);
    return "problem" in reading ? problemText(reading.problem, { scale, typed, step, meant: this.meant }) : "";
  }

  #tell(problem: string): void {
    this.#problem.textContent = problem;
    this.#problem.hidden = !problem;
    this.input.setAttribute("aria-invalid", String(problem !== ""));
  }

  #show(): void {
    const { answers, slot, column } = this.#parts;
    if (column === "COMMENT") this.input.value = answers.comment(slot);
    else if (column === "SYNTHESISED")
      this.input.value = answers.synthesised === null ? "" : answers.synthesised ? "yes" : "no";
    else {
      const value = answers.numbers(slot)[column];
      this.input.value = value === undefined ? "" : formatNumber(value);
    }
  }
}

interface At {
  row: number;
  column: number;
}

function placeOf(rows: readonly GridRow[], target: EventTarget | null): At | undefined {
  const row = rows.findIndex(({ cells }) => cells.some(({ input }) => input === target));
  const column = rows[row]?.cells.findIndex(({ input }) => input === target) ?? -1;
  return row < 0 || column < 0 ? undefined : { row, column };
}

/** Enter goes down and Shift Enter up; in fields that are typed into, arrows too. Tab is the browser's. */
export function wireMoves(scope: Scope, table: HTMLElement, rows: () => readonly GridRow[]): void {
  scope.listen<KeyboardEvent>(table, "keydown", (event) => {
    const way = wayOf(event);
    const at = way && placeOf(rows(), event.target);
    if (!way || !at) return;
    event.preventDefault();
    const from = rows()[at.row]?.cells[at.column];
    let row = at.row;
    while (rows()[row]?.cells[at.column] === from) row += way; // the rows of one clip share a cell
    const next = rows()[row]?.cells[at.column]?.input;
    next?.focus();
    if (next instanceof HTMLInputElement) next.select();
  });
}

function wayOf({ key, shiftKey, ctrlKey, altKey, metaKey, target }: KeyboardEvent): -1 | 1 | null {
  if (ctrlKey || altKey || metaKey || target instanceof HTMLButtonElement) return null;
  if (key === "Enter") return shiftKey ? -1 : 1;
  if (target instanceof HTMLSelectElement) return null;
  return key === "ArrowDown" ? 1 : key === "ArrowUp" ? -1 : null;
}

interface Pasted {
  cells: number;
  /** Cells of the block that lie beyond the table. */
  outside: number;
}

/** Put a block into the table from the cell that has the focus; a single word is left to the browser. */
export function pasteInto(rows: readonly GridRow[], event: ClipboardEvent): Pasted | null {
  const at = placeOf(rows, event.target);
  const block = cellsIn(event.clipboardData?.getData("text/plain") ?? "");
  const isOne = block.length === 1 && block[0]?.length === 1;
  if (!at || (isOne && event.target instanceof HTMLInputElement)) return null;
  event.preventDefault();
  const { texts, outside } = spread(rows, at, block);
  for (const [cell, given] of texts) cell.enter([...new Set(given)].join(" / "));
  return { cells: texts.size, outside };
}

/** What each cell is given; where rows share one, only what stands in some of them counts, and two answers are a doubt. */
function spread(rows: readonly GridRow[], at: At, block: readonly string[][]) {
  const texts = new Map<Cell, string[]>();
  const cells = block.flatMap((line, down) =>
    line.map((text, right) => ({ text: text.trim(), cell: rows[at.row + down]?.cells[at.column + right] })),
  );
  for (const { cell, text } of cells) {
    const isShared = cell?.column === "SYNTHESISED";
    if (cell && (text || !isShared)) texts.set(cell, [...(texts.get(cell) ?? []), text]);
  }
  return { texts, outside: cells.filter(({ cell }) => !cell).length };
}
