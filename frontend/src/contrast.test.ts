// The themes keep their promises in numbers: contrast as WCAG 2.2 AA asks for it, and a dim theme that stays dim.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const css = readFileSync(join(here, "..", "..", "static", "css", "tokens.css"), "utf8");
const [root = "", dim = ""] = css.split(':root[data-theme="dim"]');

type Theme = Map<string, string>;

function themes(): Record<string, Theme> {
  const light: Theme = new Map();
  const dark: Theme = new Map();
  for (const [, name = "", day = "", night = ""] of root.matchAll(/--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)/g)) {
    light.set(name, day);
    dark.set(name, night);
  }
  const dimmed = new Map([...dim.matchAll(/--([\w-]+): (#\w{6});/g)].map(([, name = "", value = ""]) => [name, value]));
  return { light, dark, dim: dimmed };
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [high = 0, low = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (high + 0.05) / (low + 0.05);
}

const TEXT: [string, string][] = [
  ...["paper", "surface", "sunken"].flatMap((ground): [string, string][] => [
    ["ink", ground],
    ["ink-soft", ground],
    ["accent", ground],
  ]),
  ["bad", "paper"],
  ["bad", "surface"],
  ["warn", "surface"],
  ["ok", "surface"],
  ["on-accent", "accent"],
  ["on-accent", "accent-strong"],
  ["on-bad", "bad"],
  ["on-chosen", "ink"],
  ["accent", "accent-wash"],
  ["ok", "ok-wash"],
  ["warn", "warn-wash"],
  ["bad", "bad-wash"],
];
const EDGES: [string, string][] = [
  ["line-strong", "surface"],
  ["line-strong", "paper"],
  ["focus", "surface"],
  ["focus", "paper"],
];

for (const [name, theme] of Object.entries(themes())) {
  const colour = (token: string) => {
    const value = theme.get(token);
    assert.ok(value, `${name} lacks --${token}`);
    return value;
  };

  test(`${name}: text has a contrast of at least 4.5 to 1`, () => {
    for (const [text, ground] of TEXT)
      assert.ok(contrast(colour(text), colour(ground)) >= 4.5, `--${text} on --${ground}`);
  });

  test(`${name}: edges of controls and the focus ring have at least 3 to 1`, () => {
    for (const [edge, ground] of EDGES)
      assert.ok(contrast(colour(edge), colour(ground)) >= 3, `--${edge} on --${ground}`);
  });
}

test("dim is black, and nothing in it is brighter than its text by more than a step", () => {
  const theme = themes().dim ?? new Map<string, string>();
  assert.equal(theme.get("paper"), "#000000");
  const text = luminance(theme.get("ink") ?? "#ffffff");
  assert.ok(text < 0.4);
  for (const [name, value] of theme) assert.ok(luminance(value) <= text * 1.4, `--${name} glares`);
});
