// Drawing of the dot-and-whisker plot as SVG, and its export as PNG.
import { type Axis, axisFor, type Frame, frameFor, layout, type Plot, type PlotMark, type ResultRow } from "./ci.ts";

/** Figures in the reader's way of writing numbers. Pure. */
export function figures(language: string): (value: number) => string {
  const format = new Intl.NumberFormat(language || undefined, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  return (value) => format.format(value);
}

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

/** Draws the dot-and-whisker plot as SVG. The table beside it says the same in figures, so the picture is hidden from readers. */
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

const SCALE = 2;
const PAPER = "#ffffff";

/** The picture as a data address. Outside the page no sheet applies: the figure's own attributes give it its look. */
export async function pngOf(svg: SVGSVGElement): Promise<string> {
  const { width, height } = svg.viewBox.baseVal;
  const picture = new Image();
  picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(svg))}`;
  await picture.decode();
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(width * SCALE);
  canvas.height = Math.round(height * SCALE);
  const pen = canvas.getContext("2d");
  if (!pen) throw new Error("This browser cannot draw on a canvas.");
  pen.fillStyle = PAPER;
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.drawImage(picture, 0, 0, canvas.width, canvas.height);
  return canvas.toDataURL("image/png");
}
