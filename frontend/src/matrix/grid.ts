// Where an arrow key leads in a matrix whose cells may be missing.

export interface Place {
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
