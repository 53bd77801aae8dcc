// A canvas that is as fine as the screen, and the colours that a theme gives it.

// Beyond three device pixels nobody sees a difference, but the bytes count.
const FINEST = 3;

export function screenRatio(): number {
  return Math.min(Math.max(globalThis.devicePixelRatio || 1, 1), FINEST);
}

export class Surface {
  readonly canvas: HTMLCanvasElement;
  readonly #context: CanvasRenderingContext2D;
  /** In CSS pixels. */
  width = 0;
  height = 0;
  ratio = 1;

  constructor(canvas: HTMLCanvasElement) {
    this.canvas = canvas;
    this.#context = canvas.getContext("2d", { alpha: false }) as CanvasRenderingContext2D;
  }

  /** Take the size that the style sheet gives; true when it has any. */
  fit(): boolean {
    this.ratio = screenRatio();
    this.width = this.canvas.clientWidth;
    this.height = this.canvas.clientHeight;
    const [width, height] = [Math.round(this.width * this.ratio), Math.round(this.height * this.ratio)];
    if (this.canvas.width !== width) this.canvas.width = width;
    if (this.canvas.height !== height) this.canvas.height = height;
    return width > 0 && height > 0;
  }

  /** A cleared context in device pixels. */
  begin(ground: string): CanvasRenderingContext2D {
    const context = this.#context;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.globalAlpha = 1;
    context.fillStyle = ground;
    context.fillRect(0, 0, this.canvas.width, this.canvas.height);
    return context;
  }

  /** Give the memory back at once; browsers are slow to collect canvases. */
  release(): void {
    this.canvas.width = 0;
    this.canvas.height = 0;
  }
}

export interface Palette {
  ground: string;
  wave: string;
  line: string;
  tick: string;
  ink: string;
  soft: string;
  hatch: string;
  face: string;
}

/** The theme's colours at this moment (static/css/viewer.css), through an element: only that way the browser works them out. */
export function readPalette(probe: HTMLElement): Palette {
  const style = getComputedStyle(probe);
  const colour = (name: string) => {
    probe.style.setProperty("color", `var(--viewer-${name})`);
    return style.color || "#808080";
  };
  return {
    ground: colour("ground"),
    wave: colour("wave"),
    line: colour("line"),
    tick: colour("tick"),
    ink: colour("ink"),
    soft: colour("soft"),
    hatch: colour("hatch"),
    face: style.fontFamily || "sans-serif",
  };
}

/** Slanted lines over a part that has nothing to show yet, or nothing to hear. */
export function hatch(
  context: CanvasRenderingContext2D,
  colour: string,
  area: { left: number; top: number; width: number; height: number },
  gap: number,
): void {
  context.save();
  context.beginPath();
  context.rect(area.left, area.top, area.width, area.height);
  context.clip();
  context.beginPath();
  // Counted from the canvas's own zero, so that the lines stand still while the area grows.
  const first = Math.floor((area.left - area.height) / gap) * gap;
  for (let x = first; x < area.left + area.width; x += gap) {
    context.moveTo(x, area.top + area.height);
    context.lineTo(x + area.height, area.top);
  }
  context.strokeStyle = colour;
  context.lineWidth = Math.max(gap / 8, 1);
  context.stroke();
  context.restore();
}
