// Entry of the paper pages: [data-print] prints, #sheet takes numbers, #scan reads them off a picture.
import { need } from "../../../frontend/src/lib/dom.ts";
import { fill, gettext } from "../../../frontend/src/lib/i18n.ts";
import { Scope } from "../../../frontend/src/lib/scope.ts";
import { Clicks, type Outcome, type Point } from "./scanGeometry.ts";

const PERCENT = "percent";
const [SHARE_PLACES, PERCENT_PLACES] = [4, 2];

/** The numbers of a sheet: two fields for each cross, in shares or per cent, and whether they were typed or clicked. */
class Fields {
  readonly #form: HTMLFormElement;
  readonly #rows: ReadonlyMap<string, HTMLTableRowElement>;

  constructor(form: HTMLFormElement, scope: Scope) {
    this.#form = form;
    const rows = [...form.querySelectorAll<HTMLTableRowElement>("tr[data-slot]")];
    this.#rows = new Map(rows.map((row) => [row.dataset.slot ?? "", row]));
    for (const row of rows)
      for (const input of this.#numbers(row)) scope.listen(input, "input", () => this.#readFrom(row, "paper"));
    for (const choice of form.querySelectorAll<HTMLInputElement>("input[name=unit]"))
      scope.listen(choice, "change", () => this.#convert());
  }

  get slots(): string[] {
    return [...this.#rows.keys()];
  }

  /** The number that stands on the sheet beside the cross. */
  numberOf(slot: string): number {
    return this.slots.indexOf(slot) + 1;
  }

  /** Fill in what was clicked, or take it out. */
  fill(slot: string, place: Point | null): void {
    const row = this.#rows.get(slot);
    if (!row) return;
    const shares = place ? [place.x, place.y] : [];
    this.#numbers(row).forEach((input, index) => {
      input.value = shares[index] === undefined ? "" : this.#written(input, shares[index]);
      input.removeAttribute("aria-invalid");
    });
    this.#readFrom(row, place ? "scan" : "paper");
  }

  /** Mark the row that the next click is about. */
  point(slot: string | null): void {
    for (const [each, row] of this.#rows)
      if (each === slot) row.setAttribute("aria-current", "true");
      else row.removeAttribute("aria-current");
  }

  onChosen(scope: Scope, chosen: (slot: string) => void): void {
    for (const [slot, row] of this.#rows) scope.listen(row, "focusin", () => chosen(slot));
  }

  /** How large the frame was on the screen when it was clicked. */
  tellSize(framePx: number): void {
    need<HTMLInputElement>("input[name=frame_px]", this.#form).value = String(Math.round(framePx));
  }

  get #percent(): boolean {
    return this.#form.querySelector<HTMLInputElement>("input[name=unit]:checked")?.value === PERCENT;
  }

  #numbers(row: HTMLTableRowElement): HTMLInputElement[] {
    return [...row.querySelectorAll<HTMLInputElement>("input[type=number]")];
  }

  #readFrom(row: HTMLTableRowElement, way: "paper" | "scan"): void {
    need<HTMLInputElement>("input[type=hidden]", row).value = way;
  }

  #written(input: HTMLInputElement, share: number): string {
    const [low, high] = ends(input);
    return this.#percent ? (share * 100).toFixed(PERCENT_PLACES) : (low + share * (high - low)).toFixed(SHARE_PLACES);
  }

  /** What stands in the fields is said in the other unit. */
  #convert(): void {
    for (const row of this.#rows.values())
      for (const input of this.#numbers(row)) {
        if (input.value === "") continue;
        const [low, high] = ends(input);
        const share = this.#percent ? (input.valueAsNumber - low) / (high - low) : input.valueAsNumber / 100;
        input.value = this.#written(input, share);
      }
  }
}

function ends(input: HTMLInputElement): [number, number] {
  return [Number(input.dataset.low), Number(input.dataset.high)];
}

const LONGEST_SIDE_PX = 2400; // of what is kept in memory: finer than a pencil
const INK = "#c2006b";

function complaint(outcome: Outcome): string {
  if (outcome === "crooked")
    return gettext("These four corners make no frame. Begin again with the origin and follow the sentences.");
  if (outcome === "outside")
    return gettext(
      "That is outside the frame. Click the cross, or take back the last click and set the corners right.",
    );
  return "";
}

/** Which corner to click, from the origin along the edge of TC. */
function cornerText(corner: number): string {
  const [right, up] = ["TC", "SD"];
  return [
    fill(gettext("Click the origin of the frame, where {right} and {up} are least."), { right, up }),
    fill(gettext("Click the corner where only {scale} is at its most."), { scale: right }),
    gettext("Click the corner where both are at their most."),
    fill(gettext("Click the corner where only {scale} is at its most."), { scale: up }),
  ][corner] as string;
}

/** A scan that is clicked: read in this browser, drawn on a canvas, sent nowhere. */
class Scan {
  readonly #fields: Fields;
  readonly #clicks: Clicks;
  readonly #stage = need("#scan-stage");
  readonly #canvas = need<HTMLCanvasElement>("#scan-picture");
  readonly #say = need("#scan-next");
  readonly #back = need<HTMLButtonElement>("#scan-back");
  readonly #again = need<HTMLButtonElement>("#scan-again");
  #picture: ImageBitmap | null = null;

  constructor(fields: Fields, scope: Scope) {
    this.#fields = fields;
    this.#clicks = new Clicks(fields.slots);
    const file = need<HTMLInputElement>("#scan-file");
    const open = () => file.files?.[0] && void this.#open(file.files[0]);
    scope.listen(file, "change", open);
    scope.listen<MouseEvent>(this.#canvas, "click", (event) => this.#clicked(event));
    scope.listen(this.#back, "click", () => this.#takeBack());
    scope.listen(this.#again, "click", () => this.#restart());
    fields.onChosen(scope, (slot) => {
      this.#clicks.choose(slot);
      if (this.#picture) this.#show();
    });
    scope.own(() => this.#picture?.close());
    open(); // a picture that was chosen before this script had loaded
  }

  async #open(file: File): Promise<void> {
    let picture: ImageBitmap;
    try {
      picture = await createImageBitmap(file);
    } catch {
      this.#tell(gettext("This file is not a picture that the browser can read. Use JPEG or PNG."));
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
    this.#tell(complaint(outcome) || this.#asked());
    this.#draw();
  }

  #asked(): string {
    const next = this.#clicks.next;
    if (!next) return gettext("All crosses are read. Compare the numbers with the sheet, then save.");
    if ("slot" in next)
      return fill(gettext("Click the middle of cross {number}. To read another one, go to its numbers first."), {
        number: this.#fields.numberOf(next.slot),
      });
    return cornerText(next.corner);
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

const scope = new Scope();
const button = document.querySelector("[data-print]");
if (button) scope.listen(button, "click", () => window.print());

const sheet = document.querySelector<HTMLFormElement>("#sheet");
if (sheet) {
  const fields = new Fields(sheet, scope);
  if (document.querySelector("#scan")) new Scan(fields, scope);
}
