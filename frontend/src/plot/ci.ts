// Geometry of the dot-and-whisker plot: rows of numbers to positions. Pure.

export interface ResultRow {
  condition: string;
  scale: string;
  n_votes: number;
  n_listeners: number;
  mos: number;
  sd: number | null;
  ci_low: number | null;
  ci_high: number | null;
}

export interface Axis {
  low: number;
  high: number;
}

export interface Frame {
  width: number;
  left: number; // room for labels
  right: number; // room for figures
  rowHeight: number;
  axisHeight: number;
}

interface Whisker {
  x1: number;
  x2: number;
  /** An end that leaves the scale is cut there and gets no cap. */
  capLow: boolean;
  capHigh: boolean;
}

export interface PlotMark {
  row: ResultRow;
  x: number;
  y: number;
  whisker: Whisker | null;
}

export interface Plot {
  height: number;
  bottom: number;
  ticks: { value: number; x: number }[];
  marks: PlotMark[];
}

/** The scale's own ends, widened only when a mean lies outside: an axis that starts at 0 would flatter a 1 to 5 scale. */
export function axisFor(rows: readonly ResultRow[], natural: Axis = { low: 1, high: 5 }): Axis {
  const means = rows.map((row) => row.mos);
  return {
    low: Math.floor(Math.min(natural.low, ...means)),
    high: Math.ceil(Math.max(natural.high, ...means)),
  };
}

export function frameFor(width: number): Frame {
  const narrow = width < 480;
  return { width, left: narrow ? 56 : 112, right: narrow ? 48 : 64, rowHeight: 36, axisHeight: 28 };
}

/** Round steps (1, 2 or 5 times a power of ten), at most eight ticks. */
export function tickValues({ low, high }: Axis): number[] {
  const raw = (high - low) / 8;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = Math.max(1, power * ([1, 2, 5, 10].find((factor) => factor * power >= raw) ?? 10));
  const first = Math.ceil(low / step) * step;
  return Array.from({ length: Math.floor((high - first) / step) + 1 }, (_, index) => first + index * step);
}

export function layout(rows: readonly ResultRow[], axis: Axis, frame: Frame): Plot {
  const inner = frame.width - frame.left - frame.right;
  const x = (value: number) => frame.left + ((value - axis.low) / (axis.high - axis.low)) * inner;
  const bottom = rows.length * frame.rowHeight;
  const marks = rows.map((row, index) => ({
    row,
    x: x(row.mos),
    y: (index + 0.5) * frame.rowHeight,
    whisker: whiskerOf(row, axis, x),
  }));
  return {
    height: bottom + frame.axisHeight,
    bottom,
    ticks: tickValues(axis).map((value) => ({ value, x: x(value) })),
    marks,
  };
}

function whiskerOf(row: ResultRow, axis: Axis, x: (value: number) => number): Whisker | null {
  if (row.ci_low === null || row.ci_high === null) return null;
  return {
    x1: x(Math.max(row.ci_low, axis.low)),
    x2: x(Math.min(row.ci_high, axis.high)),
    capLow: row.ci_low >= axis.low,
    capHigh: row.ci_high <= axis.high,
  };
}

/** Rows by scale, in the order in which the scales first appear. */
export function byScale(rows: readonly ResultRow[]): Map<string, ResultRow[]> {
  const groups = new Map<string, ResultRow[]>();
  for (const row of rows) groups.set(row.scale, [...(groups.get(row.scale) ?? []), row]);
  return groups;
}
