import assert from "node:assert/strict";
import { test } from "node:test";
import { cellsIn, yesOrNo } from "./gridCells.ts";

test("a block is read as a spreadsheet wrote it", () => {
  assert.deepEqual(cellsIn("4\t3\t0\n5\t\t-0.1\r\n"), [
    ["4", "3", "0"],
    ["5", "", "-0.1"],
  ]);
  assert.deepEqual(cellsIn("4"), [["4"]]);
  assert.deepEqual(cellsIn("4\t"), [["4", ""]]);
  assert.deepEqual(cellsIn("\n4"), [[""], ["4"]]);
});

test("a quoted cell may hold tabs, lines and quotes; a quote inside a word is a quote", () => {
  assert.deepEqual(cellsIn('"two\nlines, ""quoted"""\t4\n5 " 6\t7'), [
    ['two\nlines, "quoted"', "4"],
    ['5 " 6', "7"],
  ]);
});

test("yes and no are read in English and in the words of the page", () => {
  const words = { yes: "Oui", no: "Non" };
  assert.equal(yesOrNo("Yes", words), true);
  assert.equal(yesOrNo("non", words), false);
  assert.equal(yesOrNo(" ", words), null);
  assert.equal(yesOrNo("perhaps", words), undefined);
});
