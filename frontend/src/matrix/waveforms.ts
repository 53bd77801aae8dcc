// Small waveforms in the cells of a matrix, drawn from the outlines that stand in the page.

const SVG = "http://www.w3.org/2000/svg";
// One character for each column (audio/outline.py): the square root of its largest magnitude in 63 steps.
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const THINNEST = 0.02;

/** The tallest column of all outlines, in steps; all cells of a page are drawn to this scale. Pure. */
export function tallest(outlines: readonly string[]): number {
  return Math.max(1, ...outlines.map((outline) => Math.max(...[...outline].map((sign) => ALPHABET.indexOf(sign)))));
}

/** A vertical line for each column, from -1 to 1 where it is the tallest; silence is a thin line. Pure. */
export function outlinePath(outline: string, top: number): string {
  return [...outline]
    .map((sign, column) => {
      const height = Math.max(ALPHABET.indexOf(sign) / top, THINNEST).toFixed(2);
      return `M${column}.5-${height}V${height}`;
    })
    .join("");
}

/** Fill every [data-outline] of a page; its place has its size already. */
export function drawWaveforms(root: ParentNode): void {
  const cells = [...root.querySelectorAll<SVGElement>("[data-outline]")];
  const outlines = cells.map((cell) => cell.dataset.outline ?? "");
  const top = tallest(outlines);
  for (const [number, cell] of cells.entries()) {
    const outline = outlines[number] ?? "";
    cell.setAttribute("viewBox", `0 -1 ${outline.length} 2`);
    cell.setAttribute("preserveAspectRatio", "none");
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("d", outlinePath(outline, top));
    cell.append(path);
  }
}
