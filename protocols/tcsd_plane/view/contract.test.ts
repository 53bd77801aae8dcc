import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const page = readFileSync(join(here, "..", "templates", "tcsd_plane", "page.html"), "utf8");

test("the template holds every sentence of the workspace, and no other", () => {
  const source = readFileSync(join(here, "contract.ts"), "utf8").split("interface PlaneTexts")[1] ?? "";
  const wanted = [...source.matchAll(/^ {2}(\w+): string;/gm)].map(([, key]) => key);
  const [texts = ""] = /<template id="plane-texts">[\s\S]*?<\/template>/.exec(page) ?? [];
  const given = [...texts.matchAll(/data-text="(\w+)"/g)].map(([, key]) => key);
  assert.ok(wanted.length > 20);
  assert.deepEqual(given.toSorted(), wanted.toSorted());
});
