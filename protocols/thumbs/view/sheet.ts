// A block of cells as spreadsheets put it on the clipboard: tabs, lines, and quotes around cells that hold either. Pure.

const CELL = /("(?:[^"]|"")*"|[^\t\n]*)(\t|\n|$)/g;

export function cellsIn(text: string): string[][] {
  const rows: string[][] = [[]];
  const plain = text.replace(/\r\n?/g, "\n").replace(/\n$/, "");
  for (const [whole, cell = "", end] of plain.matchAll(CELL)) {
    rows.at(-1)?.push(unquoted(cell));
    if (end === "\n") rows.push([]);
    else if (end === "" || whole === "") break;
  }
  return rows;
}

function unquoted(cell: string): string {
  const isQuoted = cell.length > 1 && cell.startsWith('"') && cell.endsWith('"');
  return isQuoted ? cell.slice(1, -1).replaceAll('""', '"') : cell;
}

const YES = ["yes", "y", "true", "1"];
const NO = ["no", "n", "false", "0"];

/** Yes or no, in English or in the words of the page; null for an empty cell, undefined for anything else. */
export function yesOrNo(text: string, words: { yes: string; no: string }): boolean | null | undefined {
  const given = text.trim().toLowerCase();
  if (!given) return null;
  if (given === words.yes.toLowerCase() || YES.includes(given)) return true;
  return given === words.no.toLowerCase() || NO.includes(given) ? false : undefined;
}
