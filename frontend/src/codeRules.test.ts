// Code rules that neither compiler nor linter knows, for frontend/src and the views of protocols.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "..", "..");
const sources = globSync(["frontend/src/**/*.ts", "protocols/*/view/**/*.ts"], { cwd: root }).filter(
  (path) => !path.endsWith(".test.ts"),
);
const textOf = (path: string) => readFileSync(join(root, path), "utf8");

function offenders(pattern: RegExp, allowed: string[] = []): string[] {
  return sources.filter((path) => !allowed.includes(path) && pattern.test(textOf(path)));
}

test("shared sources and views are found", () => {
  for (const folder of ["frontend", "protocols"])
    assert.ok(sources.filter((path) => path.startsWith(folder)).length > 10);
});

test("listeners and timers are made only by lib/scope.ts", () => {
  const raw = /\b(addEventListener|setTimeout|setInterval|requestAnimationFrame)\s*\(|\.on[a-z]+ = /;
  assert.deepEqual(offenders(raw, ["frontend/src/lib/scope.ts"]), []);
  assert.match(textOf("frontend/src/lib/scope.ts"), raw, "the pattern finds what it forbids");
});

test("no markup is built from strings", () => {
  assert.deepEqual(offenders(/innerHTML|outerHTML|insertAdjacentHTML|document\.write/), []);
});

test("modules have at most 600 lines and open with a sentence", () => {
  for (const path of sources) {
    const lines = textOf(path).split("\n");
    assert.ok(lines.length <= 600, `${path} has ${lines.length} lines`);
    assert.match(lines[0] ?? "", /^\/\/ [A-Z].*\.$/, `${path} opens with one sentence`);
  }
});

test("a text is a plain string where it is used, and is translated nowhere else", () => {
  const elsewhere = /\b[np]?gettext\((?!\s*"(?:[^"\\]|\\.)*"\s*[,)])|\bdjango\b/;
  assert.deepEqual(offenders(elsewhere, ["frontend/src/lib/i18n.ts"]), []);
  assert.match(textOf("frontend/src/lib/i18n.ts"), elsewhere, "the pattern finds what it forbids");
});
