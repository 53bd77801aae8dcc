// The numbers of a sheet: two fields for each cross, in shares or per cent, and whether they were typed or clicked.
import { need } from "../lib/dom.ts";
import type { Scope } from "../lib/scope.ts";
import type { Point } from "./homography.ts";

const PERCENT = "percent";
const [SHARE_PLACES, PERCENT_PLACES] = [4, 2];

export class Fields {
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
