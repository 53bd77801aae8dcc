// A scan that is clicked: read in this browser, drawn on a canvas, sent nowhere.
import { fill, need } from "../lib/dom.ts";
import type { Scope } from "../lib/scope.ts";
import { Clicks, type Outcome } from "./clicks.ts";
import type { Fields } from "./fields.ts";
import type { Point } from "./homography.ts";

const LONGEST_SIDE_PX = 2400; // of what is kept in memory: finer than a pencil
const INK = "#c2006b";

export interface ScanTexts {
  corner_0: string;
  corner_1: string;
  corner_2: string;
  corner_3: string;
  cross: string;
  done: string;
  crooked: string;
  outside: string;
  unreadable: string;
}

export class Scan {
  readonly #texts: ScanTexts;
  readonly #fields: Fields;
  readonly #clicks: Clicks;
  readonly #stage = need("#scan-stage");
  readonly #canvas = need<HTMLCanvasElement>("#scan-picture");
  readonly #say = need("#scan-next");
  readonly #back = need<HTMLButtonElement>("#scan-back");
  readonly #again = need<HTMLButtonElement>("#scan-again");
  #picture: ImageBitmap | null = null;

  constructor(fields: Fields, texts: ScanTexts, scope: Scope) {
    this.#texts = texts;
    this.#fields = fields;
    this.#clicks = new Clicks(fields.slots);
    const file = need<HTMLInputElement>("#scan-file");
    scope.listen(file, "change", () => file.files?.[0] && void this.#open(file.files[0]));
    scope.listen<MouseEvent>(this.#canvas, "click", (event) => this.#clicked(event));
    scope.listen(this.#back, "click", () => this.#takeBack());
    scope.listen(this.#again, "click", () => this.#restart());
    fields.onChosen(scope, (slot) => {
      this.#clicks.choose(slot);
      if (this.#picture) this.#show();
    });
    scope.own(() => this.#picture?.close());
  }

  async #open(file: File): Promise<void> {
    let picture: ImageBitmap;
    try {
      picture = await createImageBitmap(file);
    } catch {
      this.#tell(this.#texts.unreadable);
      return;
    }
    this.#picture?.close();
    this.#picture = picture;
    const scale = Math.min(1, LONGEST_SIDE_PX / Math.max(picture.width, picture.height));
    this.#canvas.width = Math.round(picture.width * scale);
    this.#canvas.height = Math.round(picture.height * scale);
    for (const part of [this.#stage, this.#back, this.#again]) part.hidden = false;
    this.#restart();
  }

  #restart(): void {
    this.#clicks.restart();
    this.#show();
  }

  #takeBack(): void {
    const slot = this.#clicks.back();
    if (slot) this.#fields.fill(slot, null);
    this.#show();
  }

  #clicked(event: MouseEvent): void {
    const shown = this.#canvas.getBoundingClientRect();
    const perPx = this.#canvas.width / shown.width;
    const at = { x: (event.clientX - shown.left) * perPx, y: (event.clientY - shown.top) * perPx };
    const next = this.#clicks.next;
    const outcome = this.#clicks.click(at);
    if (outcome === "taken" && next && "slot" in next) {
      this.#fields.fill(next.slot, this.#clicks.place(at));
      this.#fields.tellSize(sideOf(this.#clicks.corners) / perPx);
    }
    this.#show(outcome);
  }

  #show(outcome: Outcome = "taken"): void {
    const next = this.#clicks.next;
    const slot = next && "slot" in next ? next.slot : null;
    this.#fields.point(slot);
    this.#tell(outcome === "crooked" || outcome === "outside" ? this.#texts[outcome] : this.#asked());
    this.#draw();
  }

  #asked(): string {
    const next = this.#clicks.next;
    if (!next) return this.#texts.done;
    if ("slot" in next) return fill(this.#texts.cross, { number: this.#fields.numberOf(next.slot) });
    return this.#texts[`corner_${next.corner}` as keyof ScanTexts];
  }

  #tell(sentence: string): void {
    this.#say.textContent = sentence;
    this.#say.hidden = false;
  }

  #draw(): void {
    const pen = this.#canvas.getContext("2d");
    if (!pen || !this.#picture) return;
    const { width, height } = this.#canvas;
    const size = Math.max(width, height) / 100;
    pen.drawImage(this.#picture, 0, 0, width, height);
    pen.strokeStyle = pen.fillStyle = INK;
    pen.lineWidth = size / 6;
    pen.font = `${size * 2}px sans-serif`;
    pen.beginPath();
    for (const { x, y } of this.#clicks.corners) pen.lineTo(x, y);
    if (this.#clicks.corners.length === 4) pen.closePath();
    pen.stroke();
    for (const { slot, at } of this.#clicks.crosses) {
      ring(pen, at, size);
      pen.fillText(String(this.#fields.numberOf(slot)), at.x + size * 1.2, at.y - size * 0.6);
    }
    for (const corner of this.#clicks.corners) ring(pen, corner, size / 2);
  }
}

function ring(pen: CanvasRenderingContext2D, { x, y }: Point, radius: number): void {
  pen.beginPath();
  pen.arc(x, y, radius, 0, 2 * Math.PI);
  pen.stroke();
}

/** The side of a square of the same circumference. */
function sideOf(corners: readonly Point[]): number {
  return corners.reduce((sum, { x, y }, index) => {
    const next = corners[(index + 1) % corners.length] as Point;
    return sum + Math.hypot(next.x - x, next.y - y) / corners.length;
  }, 0);
}
