// Choice of two cells of a matrix to compare: by their boxes, or with the key C in a cell.
import { need } from "../lib/dom.ts";
import { fill, gettext } from "../lib/i18n.ts";
import type { Scope } from "../lib/scope.ts";

const MOST = 2;

/** What stays chosen when one more is: the newest two. Pure. */
export function newest<T>(chosen: readonly T[], added: T): T[] {
  return [...chosen.filter((one) => one !== added), added].slice(-MOST);
}

/** What the button that plays the same cell is called. */
function nameOf(box: HTMLInputElement): string {
  return box.closest("td")?.querySelector<HTMLElement>("[data-name]")?.dataset.name ?? "";
}

/** Says which two cells are chosen, and lets the third take the place of the first. */
export class Pair {
  readonly #boxes: HTMLInputElement[];
  readonly #button: HTMLButtonElement;
  readonly #text: HTMLElement;
  readonly #form: HTMLElement;
  readonly #invitation: Node[];
  #chosen: HTMLInputElement[] = [];

  constructor(table: HTMLElement, form: HTMLElement, scope: Scope) {
    this.#form = form;
    this.#button = need("button", form);
    this.#text = need("[data-pair-text]", form);
    this.#invitation = [...this.#text.childNodes];
    this.#boxes = [...table.querySelectorAll<HTMLInputElement>("input[name=clip]")];
    for (const box of this.#boxes) box.tabIndex = -1; // C in the cell does the same, and Tab would stop at every cell
    scope.listen(table, "change", (event) => this.#change(event.target as HTMLInputElement));
    scope.listen<KeyboardEvent>(table, "keydown", (event) => this.#press(event));
    scope.listen(window, "pageshow", () => this.#read()); // who comes back finds what was chosen
    this.#read();
  }

  #read(): void {
    this.#chosen = this.#boxes.filter((box) => box.checked).slice(0, MOST);
    this.#show();
  }

  #press(event: KeyboardEvent): void {
    if (event.key.toLowerCase() !== "c" || event.altKey || event.ctrlKey || event.metaKey) return;
    const cell = (event.target as Element).closest("td");
    const box = this.#boxes.find((one) => cell?.contains(one));
    if (!box || (event.target as Element).matches("input[type=text], input:not([type]), textarea")) return;
    event.preventDefault();
    box.checked = !box.checked;
    this.#change(box);
    if (this.#chosen.length === MOST) this.#button.focus();
  }

  #change(box: HTMLInputElement): void {
    if (!this.#boxes.includes(box)) return;
    this.#chosen = box.checked ? newest(this.#chosen, box) : this.#chosen.filter((one) => one !== box);
    this.#show();
  }

  /** The letters are those of the page that compares: in the order of the table, not of choosing. */
  #show(): void {
    const chosen = this.#boxes.filter((box) => this.#chosen.includes(box));
    for (const box of this.#boxes) {
      box.checked = chosen.includes(box);
      const cell = box.closest("td");
      if (!cell) continue;
      if (box.checked) cell.dataset.pick = "AB"[chosen.indexOf(box)] ?? "";
      else delete cell.dataset.pick;
    }
    const [one = "", two = ""] = chosen.map(nameOf);
    if (chosen.length === MOST) this.#text.textContent = fill(gettext("A: {one}. B: {two}."), { one, two });
    else if (chosen.length) this.#text.textContent = fill(gettext("{one} is selected. Select one more."), { one });
    else this.#text.replaceChildren(...this.#invitation);
    this.#button.disabled = chosen.length < MOST;
    this.#form.dataset.chosen = String(chosen.length);
  }
}
