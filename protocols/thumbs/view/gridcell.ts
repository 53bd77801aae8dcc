// One cell of the grid: what stands in it, and what is wrong with it where it cannot be kept.
import { fill, make } from "../../../frontend/src/lib/dom.ts";
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import type { PageAnswers } from "./answers.ts";
import type { Scale } from "./contract.ts";
import { problemText } from "./problems.ts";
import { formatNumber, hasOnlyBegun, readScale } from "./scores.ts";
import { yesOrNo } from "./sheet.ts";
import type { ThumbsTexts } from "./texts.ts";

export type Column = Scale | "SYNTHESISED" | "COMMENT";

const LONGEST_COMMENT = 5000;
let made = 0;

export interface CellParts {
  scope: Scope;
  answers: PageAnswers;
  texts: ThumbsTexts;
  slot: string;
  column: Column;
  step: number;
  /** What a reader says when the cell is entered. */
  name: string;
  changed: (cell: Cell, what: "number" | "comment") => void;
}

export class Cell {
  readonly element: HTMLElement;
  readonly input: HTMLInputElement | HTMLSelectElement;
  readonly column: Column;
  readonly slot: string;
  /** The penalty that a positive number stands for, where it is one. */
  meant: number | undefined;
  readonly #parts: CellParts;
  readonly #problem: HTMLElement;

  constructor(parts: CellParts) {
    this.#parts = parts;
    this.column = parts.column;
    this.slot = parts.slot;
    made += 1;
    this.#problem = make("small", { class: "thumbs-cell__problem", id: `cell-${made}`, hidden: "" });
    this.input = this.#makeInput();
    this.input.setAttribute("aria-label", parts.name);
    this.input.setAttribute("aria-describedby", this.#problem.id);
    this.element = make("div", { class: "thumbs-cell" }, this.input, this.#problem);
    this.element.dataset.column = parts.column;
    parts.scope.listen(this.input, "input", () => this.#take(this.input.value, false));
    parts.scope.listen(this.input, "change", () => this.#take(this.input.value, true));
    this.#show();
  }

  get isDoubtful(): boolean {
    return !this.#problem.hidden;
  }

  /** As if it had been typed and left. */
  enter(text: string): void {
    this.input.value = this.input instanceof HTMLSelectElement ? "" : text.trim();
    this.#take(text, true);
  }

  #makeInput(): HTMLInputElement | HTMLSelectElement {
    const { column, texts } = this.#parts;
    if (column === "SYNTHESISED") {
      const choices = [
        ["", ""],
        ["yes", texts.yes],
        ["no", texts.no],
      ] as const;
      return make("select", {}, ...choices.map(([value, word]) => make("option", { value }, word)));
    }
    if (column === "COMMENT") return make("input", { type: "text", maxlength: String(LONGEST_COMMENT) });
    return make("input", { type: "text", class: "num", inputmode: "decimal", autocomplete: "off", placeholder: " " });
  }

  /** What is wrong is told while it is typed, so that nothing moves when the cell is left; a lone minus only then. */
  #take(text: string, isDone: boolean): void {
    const { changed, column } = this.#parts;
    const problem = this.#keep(text);
    this.#tell(isDone || !hasOnlyBegun(text) ? problem : "");
    if (isDone && !problem) this.#show();
    changed(this, column === "COMMENT" ? "comment" : "number");
  }

  /** Says what is wrong, or nothing. */
  #keep(text: string): string {
    const { answers, slot, column, texts } = this.#parts;
    if (column === "COMMENT") {
      answers.setComment(slot, text.slice(0, LONGEST_COMMENT));
      return text.length > LONGEST_COMMENT ? fill(texts.comment_long, { n: LONGEST_COMMENT }) : "";
    }
    if (column === "SYNTHESISED") {
      const answer = yesOrNo(text, texts);
      answers.synthesised = answer ?? null;
      return answer === undefined ? fill(texts.no_answer, { typed: text.trim() }) : "";
    }
    return this.#keepNumber(column, text.trim());
  }

  #keepNumber(scale: Scale, typed: string): string {
    const { answers, slot, step, texts } = this.#parts;
    const reading = readScale(scale, typed, step);
    this.meant = "problem" in reading ? reading.meant : undefined;
    answers.set(slot, scale, "value" in reading ? reading.value : null);
    return "problem" in reading ? problemText(reading.problem, { scale, typed, step, meant: this.meant }, texts) : "";
  }

  #tell(problem: string): void {
    this.#problem.textContent = problem;
    this.#problem.hidden = !problem;
    this.input.setAttribute("aria-invalid", String(problem !== ""));
  }

  #show(): void {
    const { answers, slot, column } = this.#parts;
    if (column === "COMMENT") this.input.value = answers.comment(slot);
    else if (column === "SYNTHESISED")
      this.input.value = answers.synthesised === null ? "" : answers.synthesised ? "yes" : "no";
    else {
      const value = answers.numbers(slot)[column];
      this.input.value = value === undefined ? "" : formatNumber(value);
    }
  }
}
