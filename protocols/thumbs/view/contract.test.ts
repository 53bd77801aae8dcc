import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

test("the template holds exactly the sentences that the page reads", () => {
  const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");
  const source = read("./contract.ts").split("interface ThumbsTexts")[1] ?? "";
  const wanted = [...source.matchAll(/^ {2}(\w+): string;/gm)].map(([, key]) => key);
  const template = read("../templates/thumbs/page.html");
  const given = [...template.matchAll(/data-text="(\w+)"/g)].map(([, key]) => key);
  assert.ok(wanted.length > 20);
  assert.deepEqual(given.toSorted(), wanted.toSorted());
});
