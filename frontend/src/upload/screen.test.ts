import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));

test("the page's sentences and their Python source list the same keys", () => {
  const [ours = ""] = /interface Texts [^}]*/.exec(readFileSync(join(here, "screen.ts"), "utf8")) ?? [];
  const wanted = [...ours.matchAll(/^ {2}(\w+): string;/gm)].map(([, key]) => key);
  const views = readFileSync(join(here, "..", "..", "..", "stimuli", "views", "imports.py"), "utf8");
  const python = views.split("def upload_texts")[1] ?? "";
  const given = [...python.matchAll(/^ {8}"(\w+)": _\(/gm)].map(([, key]) => key);
  assert.ok(wanted.length > 20);
  assert.deepEqual(given.toSorted(), wanted.toSorted());
});
