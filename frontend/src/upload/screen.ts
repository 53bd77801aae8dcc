// Screen of the upload page and what its elements show.
import { make, need } from "../lib/dom.ts";
import { fill, gettext } from "../lib/i18n.ts";
import type { Row, Totals, UploadQueue } from "./queue.ts";
import { sizeText, TransferRate, timeText } from "./transferRate.ts";

const MOST_ROWS = 100;
const SAID_EVERY_PERCENT = 25;
const PILLS: Record<Row["state"], string> = {
  waiting: "queued",
  sending: "running",
  retrying: "paused",
  done: "done",
  absent: "paused",
  failed: "refused",
};

interface Line {
  root: HTMLTableRowElement;
  pill: HTMLElement;
  bar: HTMLProgressElement;
  note: HTMLElement;
}

/** The elements of the page that sends files, and what they show. */
export class Screen {
  readonly drop = need("#drop");
  readonly chooseFolder = need<HTMLButtonElement>("#choose-folder");
  readonly chooseFiles = need<HTMLButtonElement>("#choose-files");
  readonly folderInput = need<HTMLInputElement>("#folder-input");
  readonly filesInput = need<HTMLInputElement>("#files-input");
  readonly pause = need<HTMLButtonElement>("#pause");
  readonly submit = need<HTMLButtonElement>("#submit-import");
  readonly reopen = need<HTMLButtonElement>("#reopen");
  readonly table = need<HTMLTableSectionElement>("#files tbody");
  readonly #language = document.documentElement.lang;
  readonly #rate = new TransferRate();
  #lines = new Map<string, Line>();
  #said = 0;

  note(sentence: string): void {
    need("#choose-note").textContent = sentence;
  }

  /** For those who listen to the page instead of looking at it. */
  say(sentence: string): void {
    need("#said").textContent = sentence;
  }

  trouble(sentence: string): void {
    const box = need("#trouble");
    if (box.textContent !== sentence) box.textContent = sentence;
    box.hidden = !sentence;
    if (sentence) this.#rate.forget();
  }

  showPaused(paused: boolean): void {
    this.pause.textContent = paused ? gettext("Go on") : gettext("Pause");
    this.#rate.forget();
  }

  /** Draw everything anew; cheap enough for four times a second. */
  show(queue: UploadQueue, { paused, now }: { paused: boolean; now: number }): void {
    const totals = queue.totals();
    this.#showRows(queue.shown(MOST_ROWS), paused);
    need("#sending").hidden = totals.files === 0;
    if (!totals.files) return;
    this.#showTotals(totals, paused, now);
    const more = totals.files - MOST_ROWS;
    need("#more").textContent = more > 0 ? fill(gettext("and {count} more"), { count: more }) : "";
    const complete = queue.complete;
    if (complete && this.submit.disabled)
      this.say(gettext("Everything has arrived. You can have the files checked now."));
    this.submit.disabled = !complete;
    this.pause.hidden = complete;
    need("#absent").hidden = totals.absent === 0;
    need("#absent-text").textContent = fill(
      gettext(
        "{count} files are not here any more, because the page was loaded again. Drop or choose them once more: what has arrived already is not sent again.",
      ),
      { count: totals.absent },
    );
  }

  #showTotals(totals: Totals, paused: boolean, now: number): void {
    const { files, done, sent, bytes } = totals;
    const bar = need<HTMLProgressElement>("#total-bar");
    bar.max = bytes || 1;
    bar.value = bytes ? sent : 1;
    if (!paused) this.#rate.note(now, sent);
    const size = (count: number) => sizeText(count, this.#language);
    need("#total-text").textContent = fill(gettext("{done} of {files} files, {sent} of {size}"), {
      done,
      files,
      sent: size(sent),
      size: size(bytes),
    });
    const speed = this.#rate.speed();
    const left = this.#rate.secondsLeft(bytes - sent);
    const moving = speed && left !== null && sent < bytes && !paused;
    const parts = moving
      ? [
          fill(gettext("{speed} a second"), { speed: size(speed) }),
          fill(gettext("about {time} left"), { time: timeText(left) }),
        ]
      : [];
    need("#total-pace").textContent = parts.join(", ");
    this.#sayProgress(bytes ? Math.floor((100 * sent) / bytes) : 0);
  }

  #sayProgress(percent: number): void {
    const step = percent - (percent % SAID_EVERY_PERCENT);
    if (step > this.#said && step < 100) this.say(fill(gettext("{percent} percent sent"), { percent: step }));
    this.#said = step;
  }

  /** Lines are kept, and moved only when their order changes. */
  #showRows(rows: readonly Row[], paused: boolean): void {
    const lines = new Map(rows.map((row) => [row.path, this.#lines.get(row.path) ?? this.#line(row)]));
    const order = [...lines.keys()].join("\n");
    if (order !== [...this.#lines.keys()].join("\n")) this.#arrange([...lines.values()].map((line) => line.root));
    this.#lines = lines;
    for (const row of rows) {
      const line = lines.get(row.path);
      if (line) this.#showRow(row, line, paused);
    }
  }

  /** An element that is moved loses the focus: it gets it back, or the next best one if its line is gone. */
  #arrange(roots: HTMLTableRowElement[]): void {
    const focused = document.activeElement;
    const isOurs = this.table.contains(focused);
    this.table.replaceChildren(...roots);
    if (!isOurs) return;
    const next = this.table.querySelector<HTMLElement>("[data-remove]:not([hidden])") ?? this.chooseFiles;
    (focused?.isConnected ? (focused as HTMLElement) : next).focus({ preventScroll: true });
  }

  #showRow(row: Row, { root, pill, bar, note }: Line, paused: boolean): void {
    const held = paused && (row.state === "waiting" || row.state === "retrying");
    pill.dataset.state = PILLS[row.state];
    pill.textContent = held ? gettext("Paused") : stateText(row.state);
    const sent = row.received + row.underway;
    bar.hidden = row.state === "done" || !(sent || row.state === "sending");
    bar.value = sent;
    if (note.textContent !== row.trouble) note.textContent = row.trouble;
    const button = root.querySelector<HTMLButtonElement>("[data-remove]");
    if (button) button.hidden = row.state === "done" || row.state === "sending";
  }

  #line(row: Row): Line {
    const pill = make("span", { class: "pill" });
    const bar = make("progress", { max: String(row.size || 1), "aria-label": row.path });
    const note = make("p", { class: "small file__trouble" });
    const remove = make("button", {
      type: "button",
      class: "button button--quiet button--small",
      "data-remove": row.path,
    });
    remove.append(gettext("Leave out"), make("span", { class: "sr-only" }, ` ${row.path}`));
    const root = make(
      "tr",
      {},
      make("th", { scope: "row", class: "file__path" }, row.path, note),
      make("td", { class: "num" }, sizeText(row.size, this.#language)),
      make("td", { class: "file__state" }, pill, bar),
      make("td", { class: "actions" }, remove),
    );
    return { root, pill, bar, note };
  }
}

function stateText(state: Row["state"]): string {
  return {
    waiting: gettext("Waiting"),
    sending: gettext("Sending"),
    retrying: gettext("Trying again"),
    done: gettext("Arrived"),
    absent: gettext("Choose it again"),
    failed: gettext("Not sent"),
  }[state];
}
