// Page of a collection: [data-matrix] is the table whose cells can be heard, seen and compared.
import { need } from "../lib/dom.ts";
import { Scope } from "../lib/scope.ts";
import { Matrix } from "../matrix/matrix.ts";
import { Pair } from "../matrix/pair.ts";
import { drawWaveforms } from "../matrix/waveforms.ts";

const table = document.querySelector<HTMLTableElement>("[data-matrix]");
if (table) {
  const scope = new Scope();
  drawWaveforms(table);
  new Matrix(table, need("[data-matrix-status]"), scope);
  new Pair(table, need("[data-pair]"), scope);
}
