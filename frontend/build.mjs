// Build of static/dist: one module a page, the shared style sheet, and the view and style sheet of every protocol.
// `--dev` adds source maps, `--watch` stays.
import { createHash } from "node:crypto";
import { globSync, readFileSync, rmSync } from "node:fs";
import { basename, dirname, extname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const outdir = join(here, "..", "static", "dist");
const dev = process.argv.includes("--dev");

function entries(pattern, prefix = "") {
  const sources = globSync(pattern, { cwd: here }).filter((path) => !path.endsWith(".test.ts"));
  return Object.fromEntries(sources.map((path) => [prefix + basename(path, extname(path)), join(here, path)]));
}

/** Files of every protocol, named by the protocol's folder: view/index.ts becomes view-<slug>.js, style.css <slug>.css. */
function protocolEntries(file, prefix = "") {
  const found = globSync(`../protocols/*/${file}`, { cwd: here });
  return Object.fromEntries(found.map((path) => [prefix + path.split(sep)[2], join(here, path)]));
}

function digest(...patterns) {
  const hash = createHash("sha256");
  for (const path of globSync(patterns, { cwd: here }).sort()) hash.update(path).update(readFileSync(join(here, path)));
  return hash.digest("hex").slice(0, 12);
}

const { theme, ...pages } = entries("src/pages/*.ts");
const shared = { bundle: true, minify: !dev, sourcemap: dev, outdir, logLevel: "warning", charset: "utf8" };
const builds = [
  // The server names a page's view, and the browser loads view-<name>.js: a new protocol adds its folder and nothing here.
  {
    ...shared,
    entryPoints: {
      ...pages,
      "view-scales": join(here, "src", "trial", "scales.ts"), // shared by the protocols without a view of their own
      ...protocolEntries("view/index.ts", "view-"),
      ...protocolEntries("view/paper.ts", "paper-"),
    },
    format: "esm",
    define: { VIEWS_VERSION: JSON.stringify(digest("src/**/*.ts", "../protocols/*/view/**/*.ts")) }, // a view also holds what it imports
    target: ["es2022", "chrome123", "firefox120", "safari17.5"],
  },
  // The theme stands before the first paint, hence a classic script.
  { ...shared, entryPoints: { theme }, format: "iife", target: "es2022" },
  {
    ...shared,
    entryPoints: {
      earmark: join(here, "..", "static", "css", "earmark.css"),
      ...protocolEntries("style.css"),
    },
  },
];

rmSync(outdir, { recursive: true, force: true });
if (process.argv.includes("--watch")) {
  for (const options of builds) await (await esbuild.context(options)).watch();
  console.log("Watching frontend/src, protocols and static/css.");
} else {
  await Promise.all(builds.map((options) => esbuild.build(options)));
}
