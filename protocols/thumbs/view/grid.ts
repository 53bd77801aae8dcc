// All captions of all clips in one table, for people who think in spreadsheets: typed, pasted, checked cell by cell.
import { fill, make, need } from "../../../frontend/src/lib/dom.ts";
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import type { Json, Listened } from "../../../frontend/src/outbox/events.ts";
import type { ShownPage, WorkspaceHost } from "../../../frontend/src/trial/contract.ts";
import { Keeping } from "../../../frontend/src/workspace/keeping.ts";
import { hidesOverall, wordsOf } from "./caption.ts";
import { Clip } from "./clip.ts";
import type { Cell } from "./gridcell.ts";
import { pasteInto, wireMoves } from "./gridmoves.ts";
import { columnsOf, type GridRow, rowsOf, type Sheet, sheetsOf } from "./gridrows.ts";
import type { PageList } from "./pagelist.ts";
import { clipOf } from "./rating.ts";
import type { ThumbsTexts } from "./texts.ts";

export interface GridParts {
  scope: Scope;
  root: HTMLElement;
  page: ShownPage;
  host: WorkspaceHost;
  texts: ThumbsTexts;
  list: PageList;
  openRubric: () => void;
  /** The pages that were answered here without being opened. */
  answered: Set<string>;
}

export class Grid {
  readonly #parts: GridParts;
  readonly #steps = new Map<Sheet, Keeping>();
  #rows: GridRow[] = [];
  #sheets: Sheet[] = [];
  #playing: { sheet: Sheet; clip: Clip; scope: Scope } | null = null;

  constructor(parts: GridParts) {
    this.#parts = parts;
    const { scope, root, page, texts, list, openRubric } = parts;
    // The player comes with the first row that is played.
    for (const part of ["captions", "foot", "progress-line", "block", "player"])
      need(`[data-part=${part}]`, root).hidden = true;
    need("[data-part=where]", root).textContent = texts.all_clips;
    need("[data-part=grid]", root).hidden = false;
    page.keys.onStop(scope, () => this.#playing?.clip.stop());
    page.keys.on(scope, ({ key }) => {
      const meanings: Record<string, () => void> = {
        " ": () => this.#playing?.clip.toggle(),
        h: openRubric,
        l: () => void list.open(),
      };
      meanings[key.toLowerCase()]?.();
      return key.toLowerCase() in meanings;
    });
    this.#say(texts.loading);
    void this.#load();
  }

  flush(): void {
    for (const steps of this.#steps.values()) steps.flush();
  }

  async #load(): Promise<void> {
    const { scope, root, page, host, texts } = this.#parts;
    this.#sheets = sheetsOf(await host.pages());
    if (scope.disposed) return;
    const acts = {
      play: (sheet: Sheet) => this.#play(sheet),
      changed: (sheet: Sheet, _: Cell, what: "number" | "comment") => this.#changed(sheet, what),
    };
    this.#rows = this.#sheets.flatMap((sheet) => rowsOf(scope, sheet, texts, acts));
    for (const sheet of this.#sheets) this.#steps.set(sheet, new Keeping(scope, host, () => this.#keep(sheet)));
    this.#nameColumns();
    need("[data-part=rows]", root).replaceChildren(...this.#rows.map(({ element }) => element));
    this.#wire();
    this.#say("");
    this.#show();
    const current = this.#rows.find(({ sheet }) => sheet.page.trial === page.trial);
    if (current && this.#rows[0] !== current) current.element.scrollIntoView({ block: "center" });
  }

  #nameColumns(): void {
    const { root, page, texts } = this.#parts;
    const words = (column: string) => (column === "COMMENT" ? texts.comment : wordsOf(page, column).word);
    const names = columnsOf(page).map(words);
    if (!hidesOverall(page)) names.push(wordsOf(page, "OVERALL").word);
    need("[data-part=columns]", root).append(...names.map((name) => make("th", { scope: "col" }, name)));
  }

  #wire(): void {
    const { scope, root, texts } = this.#parts;
    const table = need("[data-part=rows]", root);
    wireMoves(scope, table, () => this.#rows);
    scope.listen<ClipboardEvent>(table, "paste", (event) => {
      const pasted = pasteInto(this.#rows, event);
      if (!pasted) return;
      const outside = pasted.outside ? ` ${fill(texts.pasted_outside, { n: pasted.outside })}` : "";
      this.#say(fill(texts.pasted, { n: pasted.cells }) + outside);
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
    const { root, host, texts } = this.#parts;
    if (this.#playing?.sheet !== sheet) {
      this.#playing?.scope.dispose();
      need("[data-part=player]", root).hidden = false;
      const scope = this.#parts.scope.child();
      const clip: Clip = new Clip({
        scope,
        root,
        texts,
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
      need("[data-part=clip-name]", root).textContent = fill(texts.clip, { n: sheet.clip });
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
    const { root, texts } = this.#parts;
    for (const row of this.#rows) row.show();
    const done = this.#rows.filter(({ sheet, slot }) => !sheet.answers.missingOf(slot).length).length;
    need("[data-part=rows-done]", root).textContent = fill(texts.rows_done, { n: done, of: this.#rows.length });
    const doubtful = this.#doubtful;
    need("[data-part=doubts]", root).hidden = !doubtful.length;
    need("[data-part=doubts-text]", root).textContent = fill(texts.doubtful, { n: doubtful.length });
    need("[data-act=flip]", root).hidden = doubtful.every(({ meant }) => meant === undefined);
  }

  /** Everything is there: the page goes on. Else what comes first of what is missing is shown. */
  #done(): void {
    const { page, host, texts } = this.#parts;
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
    this.#say(fill(texts.row_missing, { row: fill(texts.row, { clip: sheet.clip, n: row?.number ?? 1 }), scales }));
  }

  #say(sentence: string): void {
    need("[data-part=status]", this.#parts.root).textContent = sentence;
  }
}

function payloadOf({ answers, plays }: Sheet, whole: boolean): Json {
  return answers.payload(plays, whole) as unknown as Json;
}

function listenedTo({ plays, heardMs }: Sheet): Listened {
  return { plays, heard_ms: heardMs };
}
