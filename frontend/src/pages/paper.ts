// The pages of answers on paper: [data-print] prints, #sheet takes numbers, #scan reads them off a picture.
import { embedded } from "../lib/dom.ts";
import { Scope } from "../lib/scope.ts";
import { Fields } from "../paper/fields.ts";
import { Scan, type ScanTexts } from "../paper/scan.ts";

const scope = new Scope();
const button = document.querySelector("[data-print]");
if (button) scope.listen(button, "click", () => window.print());

const sheet = document.querySelector<HTMLFormElement>("#sheet");
if (sheet) {
  const fields = new Fields(sheet, scope);
  if (document.querySelector("#scan")) new Scan(fields, embedded<ScanTexts>("scan-texts"), scope);
}
