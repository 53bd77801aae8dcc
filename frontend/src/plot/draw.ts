// Draws the dot-and-whisker plot as SVG. The table beside it says the same in figures, so the picture is hidden from readers.
import { type Axis, axisFor, type Frame, frameFor, layout, type Plot, type PlotMark, type ResultRow } from "./ci.ts";

const SVG = "http://www.w3.org/2000/svg";
const CAP = 5;

function shape(tag: string, attributes: Record<string, string | number>, text = ""): SVGElement {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.textContent = text;
  return element;
}

function line(className: string, x1: number, y1: number, x2: number, y2: number): SVGElement {
  return shape("line", { class: `ci-plot__${className}`, x1, y1, x2, y2 });
}

export function drawPlot(
  rows: readonly ResultRow[],
  width: number,
  figure: (value: number) => string,
  scale?: Axis,
): SVGElement {
  const frame = frameFor(width);
  const plot = layout(rows, axisFor(rows, scale), frame);
  const svg = shape("svg", { class: "ci-plot", width, height: plot.height, "aria-hidden": "true" });
  svg.append(...drawAxis(plot, frame), ...plot.marks.flatMap((mark) => drawMark(mark, frame, figure)));
  return svg;
}

function drawAxis(plot: Plot, frame: Frame): SVGElement[] {
  const ticks = plot.ticks.flatMap(({ value, x }) => [
    line("grid", x, 0, x, plot.bottom),
    line("axis", x, plot.bottom, x, plot.bottom + 5),
    shape("text", { class: "ci-plot__tick", x, y: plot.bottom + 20, "text-anchor": "middle" }, String(value)),
  ]);
  return [...ticks, line("axis", frame.left, plot.bottom, frame.width - frame.right, plot.bottom)];
}

function drawMark({ row, x, y, whisker }: PlotMark, frame: Frame, figure: (value: number) => string): SVGElement[] {
  const parts = [shape("text", { class: "ci-plot__label", x: 0, y: y + 4 }, row.condition)];
  if (whisker) {
    parts.push(line("whisker", whisker.x1, y, whisker.x2, y));
    if (whisker.capLow) parts.push(line("cap", whisker.x1, y - CAP, whisker.x1, y + CAP));
    if (whisker.capHigh) parts.push(line("cap", whisker.x2, y - CAP, whisker.x2, y + CAP));
  }
  parts.push(shape("circle", { class: "ci-plot__dot", cx: x, cy: y, r: 5.5 }));
  const value = { class: "ci-plot__value", x: frame.width, y: y + 4, "text-anchor": "end" };
  parts.push(shape("text", value, figure(row.mos)));
  return parts;
}
