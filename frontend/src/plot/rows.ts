// The cells of the results table, in the reader's way of writing numbers. Pure.
import type { ResultRow } from "./ci.ts";

export interface Cell {
  text: string;
  numeric: boolean;
}

export function figures(language: string): (value: number) => string {
  const format = new Intl.NumberFormat(language || undefined, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  return (value) => format.format(value);
}

/** One table row; what cannot be computed (the spread of one listener) is a dash, never a zero. */
export function cellsOf(row: ResultRow, figure: (value: number) => string): Cell[] {
  const number = (text: string): Cell => ({ text, numeric: true });
  const interval = row.ci_low === null || row.ci_high === null;
  return [
    { text: row.condition, numeric: false },
    { text: row.scale, numeric: false },
    number(String(row.n_listeners)),
    number(String(row.n_votes)),
    number(figure(row.mos)),
    number(row.sd === null ? "-" : figure(row.sd)),
    number(interval ? "-" : `${figure(row.ci_low as number)} – ${figure(row.ci_high as number)}`),
  ];
}
