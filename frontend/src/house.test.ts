// The rules of the house that neither compiler nor linter knows.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const sources = globSync("**/*.ts", { cwd: here }).filter((path) => !path.endsWith(".test.ts"));
const textOf = (path: string) => readFileSync(join(here, path), "utf8");

function offenders(pattern: RegExp, allowed: string[] = []): string[] {
  return sources.filter((path) => !allowed.includes(path) && pattern.test(textOf(path)));
}

test("there are sources to judge", () => {
  assert.ok(sources.length > 20);
});

test("listeners and timers are made only by lib/scope.ts", () => {
  const raw = /\b(addEventListener|setTimeout|setInterval|requestAnimationFrame)\s*\(|\.on[a-z]+ = /;
  assert.deepEqual(offenders(raw, ["lib/scope.ts"]), []);
  assert.match(textOf("lib/scope.ts"), raw, "the pattern finds what it forbids");
});

test("no markup is built from strings", () => {
  assert.deepEqual(offenders(/innerHTML|outerHTML|insertAdjacentHTML|document\.write/), []);
});

test("modules stay readable in one sitting and open with a sentence", () => {
  for (const path of sources) {
    const lines = textOf(path).split("\n");
    assert.ok(lines.length <= 300, `${path} has ${lines.length} lines`);
    assert.match(lines[0] ?? "", /^\/\/ [A-Z].*\.$/, `${path} opens with one sentence`);
  }
});

test("the page's sentences and their Python source list the same keys", () => {
  const wanted = [...textOf("trial/texts.ts").matchAll(/^ {2}(\w+): string;/gm)].map(([, key]) => key);
  const python = readFileSync(join(here, "..", "..", "listening", "texts.py"), "utf8");
  const given = [...python.matchAll(/^ {8}"(\w+)": _\(/gm)].map(([, key]) => key);
  assert.ok(wanted.length > 20);
  assert.deepEqual(given.toSorted(), wanted.toSorted());
});
