// Grid of all captions of all clips in one table: typed, pasted, checked cell by cell.
import { make, need } from "../../../frontend/src/lib/dom.ts";
import { fill, gettext, ngettext } from "../../../frontend/src/lib/i18n.ts";
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import type { Json, Listened } from "../../../frontend/src/outbox/events.ts";
import type { ShownPage, TrialPage, WorkspaceHost } from "../../../frontend/src/trial/contract.ts";
import { icon } from "../../../frontend/src/viewer/dom.ts";
import { Autosave } from "../../../frontend/src/workspace/autosave.ts";
import { hidesOverall, wordsOf } from "./caption.ts";
import { Clip } from "./clip.ts";
import { ENTERED, pageOf, readDraft } from "./contract.ts";
import { Cell, type Column, pasteInto, wireMoves } from "./gridCells.ts";
import type { PageList } from "./pageList.ts";
import { clipOf } from "./rating.ts";
import { formatNumber, isComplete, overall, PageAnswers } from "./scores.ts";

/** A page with what is answered of it here. */
interface Sheet {
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

interface RowActs {
  play: (sheet: Sheet) => void;
  changed: (sheet: Sheet, cell: Cell, what: "number" | "comment") => void;
}

/** The rows of the grid: one a caption, the clips one after another, and one cell for the question about a clip. */
function sheetsOf(pages: readonly TrialPage[]): Sheet[] {
  const asked = pages.filter((page) => pageOf(page).example === undefined);
  return asked.map((page, index) => ({
    page,
    clip: index + 1,
    answers: new PageAnswers(page),
    plays: readDraft(page.draft).listened?.plays ?? 0,
    heardMs: 0,
  }));
}

function columnsOf(page: TrialPage): Column[] {
  return [...ENTERED, ...(pageOf(page).synthesised ? (["SYNTHESISED"] as const) : []), "COMMENT"];
}

function rowsOf(scope: Scope, sheet: Sheet, acts: RowActs): GridRow[] {
  const { page, answers, clip } = sheet;
  const { step } = pageOf(page);
  const makeCell = (slot: string, column: Column, name: string) =>
    new Cell({ scope, answers, slot, column, step, name, changed: (...news) => acts.changed(sheet, ...news) });
  const words = (column: Column) => (column === "COMMENT" ? gettext("Comment") : wordsOf(page, column).word);
  const shared = makeCell(
    "clip",
    "SYNTHESISED",
    fill(gettext("{column}, clip {clip}"), { column: words("SYNTHESISED"), clip }),
  );
  return answers.slots.map((slot, index) => {
    const number = index + 1;
    const cells = columnsOf(page).map((column) =>
      column === "SYNTHESISED"
        ? shared
        : makeCell(
            slot,
            column,
            fill(gettext("{column}, clip {clip}, caption {n}"), { column: words(column), clip, n: number }),
          ),
    );
    return rowOf(scope, sheet, { slot, number, cells }, acts);
  });
}

function rowOf(
  scope: Scope,
  sheet: Sheet,
  { slot, number, cells }: Pick<GridRow, "slot" | "number" | "cells">,
  acts: RowActs,
): GridRow {
  const { page, answers, clip } = sheet;
  const label = fill(gettext("Play clip {n}"), { n: clip });
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
  const element = make("tr", { tabindex: "-1" }, name, text, ...places, ...(hidesOverall(page) ? [] : [total]));
  if (number === 1) element.dataset.first = "yes";
  const show = () => {
    const numbers = answers.numbers(slot);
    total.textContent = isComplete(numbers) ? formatNumber(overall(numbers)) : "";
    element.dataset.complete = isComplete(numbers) ? "yes" : "no";
  };
  show();
  return { sheet, slot, number, element, cells, show };
}

interface GridParts {
  scope: Scope;
  root: HTMLElement;
  page: ShownPage;
  host: WorkspaceHost;
  list: PageList;
  openRubric: () => void;
  /** The pages that were answered here without being opened. */
  answered: Set<string>;
}

/** All captions of all clips in one table, for people who think in spreadsheets: typed, pasted, checked cell by cell. */
export class Grid {
  readonly #parts: GridParts;
  readonly #steps = new Map<Sheet, Autosave>();
  #rows: GridRow[] = [];
  #sheets: Sheet[] = [];
  #playing: { sheet: Sheet; clip: Clip; scope: Scope } | null = null;

  constructor(parts: GridParts) {
    this.#parts = parts;
    const { scope, root, page, host, list, openRubric } = parts;
    // The player comes with the first row that is played.
    for (const part of ["captions", "foot", "progress", "player"]) need(`[data-part=${part}]`, root).hidden = true;
    need("[data-part=where]", root).textContent = gettext("All clips");
    need("[data-part=grid]", root).hidden = false;
    page.keys.onStop(scope, () => this.#playing?.clip.stop());
    // Not in a cell, where Space would be typed: on the row of the last one.
    let row: HTMLElement | null = null;
    scope.listen(need("[data-part=rows]", root), "focusin", ({ target }) => {
      row = (target as Element).closest("tr");
    });
    host.resumeAt(() => (row ?? need("[data-part=where]", root)).focus({ preventScroll: true }));
    page.keys.on(scope, ({ key }) => {
      const meanings: Record<string, () => void> = {
        " ": () => this.#playing?.clip.toggle(),
        h: openRubric,
        l: () => void list.open(),
      };
      meanings[key.toLowerCase()]?.();
      return key.toLowerCase() in meanings;
    });
    this.#say(gettext("Loading…"));
    void this.#load();
  }

  flush(): void {
    for (const steps of this.#steps.values()) steps.flush();
  }

  async #load(): Promise<void> {
    const { scope, root, page, host } = this.#parts;
    this.#sheets = sheetsOf(await host.pages());
    if (scope.disposed) return;
    const acts = {
      play: (sheet: Sheet) => this.#play(sheet),
      changed: (sheet: Sheet, _: Cell, what: "number" | "comment") => this.#changed(sheet, what),
    };
    this.#rows = this.#sheets.flatMap((sheet) => rowsOf(scope, sheet, acts));
    for (const sheet of this.#sheets) this.#steps.set(sheet, new Autosave(scope, host, () => this.#keep(sheet)));
    this.#nameColumns();
    need("[data-part=rows]", root).replaceChildren(...this.#rows.map(({ element }) => element));
    this.#wire();
    this.#say("");
    this.#show();
    const current = this.#rows.find(({ sheet }) => sheet.page.trial === page.trial);
    if (current && this.#rows[0] !== current) current.element.scrollIntoView({ block: "center" });
  }

  #nameColumns(): void {
    const { root, page } = this.#parts;
    const words = (column: string) => (column === "COMMENT" ? gettext("Comment") : wordsOf(page, column).word);
    const names = columnsOf(page).map(words);
    if (!hidesOverall(page)) names.push(wordsOf(page, "OVERALL").word);
    need("[data-part=columns]", root).append(...names.map((name) => make("th", { scope: "col" }, name)));
  }

  #wire(): void {
    const { scope, root } = this.#parts;
    const table = need("[data-part=rows]", root);
    wireMoves(scope, table, () => this.#rows);
    scope.listen<ClipboardEvent>(table, "paste", (event) => {
      const pasted = pasteInto(this.#rows, event);
      if (!pasted) return;
      const outside = pasted.outside
        ? ` ${fill(
            ngettext(
              "{n} cell was outside the table and was left out.",
              "{n} cells were outside the table and were left out.",
              pasted.outside,
            ),
            { n: pasted.outside },
          )}`
        : "";
      this.#say(fill(ngettext("{n} cell pasted.", "{n} cells pasted.", pasted.cells), { n: pasted.cells }) + outside);
    });
    scope.listen(need("[data-act=first-doubt]", root), "click", () => this.#doubtful[0]?.input.focus());
    scope.listen(need("[data-act=flip]", root), "click", () => this.#flip());
    scope.listen(need("[data-act=done]", root), "click", () => this.#done());
  }

  get #cells(): Cell[] {
    return [...new Set(this.#rows.flatMap(({ cells }) => cells))];
  }

  get #doubtful(): Cell[] {
    return this.#cells.filter((cell) => cell.isDoubtful);
  }

  #flip(): void {
    for (const cell of this.#doubtful) if (cell.meant !== undefined) cell.enter(String(cell.meant));
  }

  #play(sheet: Sheet): void {
    const { root, host } = this.#parts;
    if (this.#playing?.sheet !== sheet) {
      this.#playing?.scope.dispose();
      need("[data-part=player]", root).hidden = false;
      const scope = this.#parts.scope.child();
      const clip: Clip = new Clip({
        scope,
        root,
        url: sheet.page.media.clip?.url ?? "",
        renew: () => clipOf(host, sheet.page.trial),
        plays: sheet.plays,
        changed: () => {
          sheet.plays = clip.plays;
          sheet.heardMs = clip.listened.heard_ms;
          this.#steps.get(sheet)?.soon("heard");
        },
      });
      this.#playing = { sheet, clip, scope };
      need("[data-part=clip-name]", root).hidden = false;
      need("[data-part=clip-name]", root).textContent = fill(gettext("Clip {n}"), { n: sheet.clip });
    }
    this.#playing.clip.toggle();
  }

  #changed(sheet: Sheet, what: "number" | "comment"): void {
    this.#steps.get(sheet)?.soon(what === "number" ? "act" : "text");
    this.#show();
  }

  #keep(sheet: Sheet): void {
    const { page, host, answered } = this.#parts;
    const whole = sheet.answers.missing.length === 0;
    if (sheet.page.trial !== page.trial) answered.add(sheet.page.trial);
    void host.answer(sheet.page, payloadOf(sheet, whole), listenedTo(sheet), whole);
  }

  #show(): void {
    const { root } = this.#parts;
    for (const row of this.#rows) row.show();
    const done = this.#rows.filter(({ sheet, slot }) => !sheet.answers.missingOf(slot).length).length;
    need("[data-part=rows-done]", root).textContent = fill(gettext("{n} of {of} rows complete"), {
      n: done,
      of: this.#rows.length,
    });
    const doubtful = this.#doubtful;
    need("[data-part=doubts]", root).hidden = !doubtful.length;
    need("[data-part=doubts-text]", root).textContent = fill(
      ngettext(
        "{n} cell has an error and was not saved.",
        "{n} cells have errors and were not saved.",
        doubtful.length,
      ),
      { n: doubtful.length },
    );
    need("[data-act=flip]", root).hidden = doubtful.every(({ meant }) => meant === undefined);
  }

  /** Everything is there: the page goes on. Else what comes first of what is missing is shown. */
  #done(): void {
    const { page, host } = this.#parts;
    const sheet = this.#sheets.find(({ answers }) => answers.missing.length);
    if (!sheet) {
      const current = this.#sheets.find((one) => one.page.trial === page.trial);
      this.flush();
      this.#playing?.clip.stop();
      if (current) void host.finish(payloadOf(current, true), listenedTo(current));
      return;
    }
    const [first] = sheet.answers.missing;
    const row = this.#rows.find((one) => one.sheet === sheet && (first?.slot === "clip" || one.slot === first?.slot));
    row?.cells.find(({ column }) => column === first?.scale)?.input.focus();
    const missing = sheet.answers.missing.filter(({ slot }) => slot === first?.slot);
    const scales = missing.map(({ scale }) => wordsOf(page, scale).word).join(", ");
    this.#say(
      fill(gettext("Clip {clip}, caption {n}: please rate {scales}."), {
        clip: sheet.clip,
        n: row?.number ?? 1,
        scales,
      }),
    );
  }

  #say(sentence: string): void {
    need("[data-part=grid-status]", this.#parts.root).textContent = sentence;
  }
}

function payloadOf({ answers, plays }: Sheet, whole: boolean): Json {
  return answers.payload(plays, whole) as unknown as Json;
}

function listenedTo({ plays, heardMs }: Sheet): Listened {
  return { plays, heard_ms: heardMs };
}
