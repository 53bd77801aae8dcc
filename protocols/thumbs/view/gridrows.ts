// The rows of the grid: one a caption, the clips one after another, and one cell for the question about a clip.
import { fill, make } from "../../../frontend/src/lib/dom.ts";
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import type { TrialPage } from "../../../frontend/src/trial/contract.ts";
import { icon } from "../../../frontend/src/viewer/icons.ts";
import { PageAnswers } from "./answers.ts";
import { hidesOverall, wordsOf } from "./caption.ts";
import { ENTERED, pageOf, readDraft } from "./contract.ts";
import { Cell, type Column } from "./gridcell.ts";
import { formatNumber, isComplete, overall } from "./scores.ts";
import type { ThumbsTexts } from "./texts.ts";

/** A page with what is answered of it here. */
export interface Sheet {
  page: TrialPage;
  /** Counted over all blocks. */
  clip: number;
  answers: PageAnswers;
  plays: number;
  heardMs: number;
}

export interface GridRow {
  sheet: Sheet;
  slot: string;
  /** Which caption of its clip. */
  number: number;
  element: HTMLElement;
  /** In the order of the columns; the rows of one clip share the cell that asks about it. */
  cells: Cell[];
  /** Show the sum, where it may be seen. */
  show: () => void;
}

export interface RowActs {
  play: (sheet: Sheet) => void;
  changed: (sheet: Sheet, cell: Cell, what: "number" | "comment") => void;
}

export function sheetsOf(pages: readonly TrialPage[]): Sheet[] {
  const asked = pages.filter((page) => pageOf(page).example === undefined);
  return asked.map((page, index) => ({
    page,
    clip: index + 1,
    answers: new PageAnswers(page),
    plays: readDraft(page.draft).listened?.plays ?? 0,
    heardMs: 0,
  }));
}

export function columnsOf(page: TrialPage): Column[] {
  return [...ENTERED, ...(pageOf(page).synthesised ? (["SYNTHESISED"] as const) : []), "COMMENT"];
}

export function rowsOf(scope: Scope, sheet: Sheet, texts: ThumbsTexts, acts: RowActs): GridRow[] {
  const { page, answers, clip } = sheet;
  const { step } = pageOf(page);
  const makeCell = (slot: string, column: Column, name: string) =>
    new Cell({ scope, answers, texts, slot, column, step, name, changed: (...news) => acts.changed(sheet, ...news) });
  const words = (column: Column) => (column === "COMMENT" ? texts.comment : wordsOf(page, column).word);
  const shared = makeCell("clip", "SYNTHESISED", fill(texts.cell_clip, { column: words("SYNTHESISED"), clip }));
  return answers.slots.map((slot, index) => {
    const number = index + 1;
    const cells = columnsOf(page).map((column) =>
      column === "SYNTHESISED"
        ? shared
        : makeCell(slot, column, fill(texts.cell, { column: words(column), clip, n: number })),
    );
    return rowOf(scope, sheet, { slot, number, cells }, texts, acts);
  });
}

function rowOf(
  scope: Scope,
  sheet: Sheet,
  { slot, number, cells }: Pick<GridRow, "slot" | "number" | "cells">,
  texts: ThumbsTexts,
  acts: RowActs,
): GridRow {
  const { page, answers, clip } = sheet;
  const label = fill(texts.play_row, { n: clip });
  const play = make("button", { type: "button", class: "button button--small", "aria-label": label }, icon("play"));
  scope.listen(play, "click", () => acts.play(sheet));
  const name = make("th", { scope: "row" }, make("div", { class: "num" }, make("span", {}, `${clip}.${number}`), play));
  const text = make(
    "td",
    { class: "thumbs-grid__text", spellcheck: "false", translate: "no" },
    page.texts[slot]?.text ?? "",
  );
  const places = cells
    .filter(({ column }) => column !== "SYNTHESISED" || number === 1)
    .map((cell) => {
      const span = cell.column === "SYNTHESISED" ? { rowspan: String(answers.slots.length) } : {};
      return make("td", span as Record<string, string>, cell.element);
    });
  const total = make("td", { class: "num thumbs-grid__total" });
  const element = make("tr", {}, name, text, ...places, ...(hidesOverall(page) ? [] : [total]));
  if (number === 1) element.dataset.first = "yes";
  const show = () => {
    const numbers = answers.numbers(slot);
    total.textContent = isComplete(numbers) ? formatNumber(overall(numbers)) : "";
    element.dataset.complete = isComplete(numbers) ? "yes" : "no";
  };
  show();
  return { sheet, slot, number, element, cells, show };
}
