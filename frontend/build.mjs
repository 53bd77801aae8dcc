// Build static/dist: one module a page, one a protocol's view, one style sheet. `--dev` adds source maps, `--watch` stays.
import { createHash } from "node:crypto";
import { globSync, readFileSync, rmSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const outdir = join(here, "..", "static", "dist");
const dev = process.argv.includes("--dev");

function entries(pattern, prefix = "") {
  const sources = globSync(pattern, { cwd: here }).filter((path) => !path.endsWith(".test.ts"));
  return Object.fromEntries(sources.map((path) => [prefix + basename(path, extname(path)), join(here, path)]));
}

function digest(pattern) {
  const hash = createHash("sha256");
  for (const path of globSync(pattern, { cwd: here }).sort()) hash.update(path).update(readFileSync(join(here, path)));
  return hash.digest("hex").slice(0, 12);
}

const { theme, ...pages } = entries("src/pages/*.ts");
const shared = { bundle: true, minify: !dev, sourcemap: dev, outdir, logLevel: "warning", charset: "utf8" };
const builds = [
  // A protocol's view is found by its name at run time, so a new protocol only adds its file here.
  {
    ...shared,
    entryPoints: { ...pages, ...entries("src/protocols/*.ts", "view-") },
    format: "esm",
    define: { VIEWS_VERSION: JSON.stringify(digest("src/**/*.ts")) }, // a view also holds what it imports
    target: ["es2022", "chrome123", "firefox120", "safari17.5"],
  },
  // The theme stands before the first paint, hence a classic script.
  { ...shared, entryPoints: { theme }, format: "iife", target: "es2022" },
  // What only one protocol's page wears stands in a sheet of its own: view-<name>.css.
  {
    ...shared,
    entryPoints: {
      earmark: join(here, "..", "static", "css", "earmark.css"),
      ...entries("../static/css/protocols/*.css", "view-"),
    },
  },
];

rmSync(outdir, { recursive: true, force: true });
if (process.argv.includes("--watch")) {
  for (const options of builds) await (await esbuild.context(options)).watch();
  console.log("Watching frontend/src and static/css.");
} else {
  await Promise.all(builds.map((options) => esbuild.build(options)));
}
