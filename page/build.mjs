// Makes dist/page.html: markup, style and script in one file, with a content-security policy that names both by
// their hashes. The same sources and lock file give the same bytes.
//
// usage: node build.mjs [OUT]

import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
// node_modules may lie outside the tree: tools/page_modules names the folder.
const modules = process.env.LOCKSTEP_PAGE_MODULES ?? join(here, "node_modules");
const { buildSync } = createRequire(join(modules, "x.js"))("esbuild");

function bundle(entry) {
  const built = buildSync({
    entryPoints: [join(here, entry)],
    bundle: true,
    minify: true,
    write: false,
    charset: "utf8",
    target: ["chrome100", "firefox113", "safari16.4"],
    nodePaths: [modules],
    legalComments: "none",
    absWorkingDir: here,
  });
  return built.outputFiles[0].text.trim();
}

const hash = (text) => `'sha256-${createHash("sha256").update(text, "utf8").digest("base64")}'`;

const script = bundle("src/main.ts");
const style = bundle("style/page.css");
if (script.includes("</script") || script.includes("<!--")) throw new Error("the script would end its own element");
const policy = [
  "default-src 'none'",
  `script-src ${hash(script)}`,
  `style-src ${hash(style)}`,
  "img-src data: blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
].join("; ");
const page = readFileSync(join(here, "src/page.html"), "utf8")
  .replace("{{policy}}", () => policy)
  .replace("{{style}}", () => style)
  .replace("{{script}}", () => script);

const out = process.argv[2] ?? join(here, "dist/page.html");
mkdirSync(dirname(out), { recursive: true });
writeFileSync(out, page);
console.log(`${out}: ${page.length} characters`);
