// Moving through the grid as through a spreadsheet, and pasting from one: Enter goes down, a block of cells goes in.
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import type { Cell } from "./gridcell.ts";
import type { GridRow } from "./gridrows.ts";
import { cellsIn } from "./sheet.ts";

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

export interface Pasted {
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
