// Page of a collection: [data-matrix] is the table whose cells can be heard.
import { need } from "../lib/dom.ts";
import { Scope } from "../lib/scope.ts";
import { Matrix } from "../matrix/matrix.ts";

const table = document.querySelector<HTMLTableElement>("[data-matrix]");
if (table) new Matrix(table, need("[data-matrix-status]"), new Scope());
