// Bundles the page of reports: TypeScript and styles into one script and one style sheet, and these into a C file.
//
//   node build.mjs OUTPUT.c
//
// The C file defines olo_page_bundle_built (src/results/page.h). The hash of the script is what the page's content
// security policy allows.
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { build } from "esbuild";

const output = process.argv[2];
const { outputFiles } = await build({
  entryPoints: ["src/main.ts"],
  bundle: true,
  minify: true,
  write: false,
  outdir: ".",
  target: "es2021",
  charset: "ascii",
  legalComments: "none",
  logLevel: "warning",
});
const contents = (ending) => outputFiles.find((file) => file.path.endsWith(ending)).contents;
const notice =
  "/*! three.js, (c) 2010-2026 three.js authors, MIT; uPlot, (c) 2026 Leon Sorokin, MIT */\n";
const script = Buffer.concat([Buffer.from(notice), Buffer.from(contents(".js"))]);
const style = Buffer.from(contents(".css"));
if (script.includes("</script") || script.includes("<!--") || style.includes("</style")) {
  throw new Error("the bundle would end its own element");
}

// String literals of a length that every compiler takes.
function literals(name, bytes) {
  const lines = [];
  for (let at = 0; at < bytes.length; at += 2000) {
    let text = "";
    for (const byte of bytes.subarray(at, at + 2000)) {
      const letter = String.fromCharCode(byte);
      if (byte < 32 || byte > 126) text += "\\" + byte.toString(8).padStart(3, "0");
      else if ('"\\?'.includes(letter)) text += "\\" + letter;
      else text += letter;
    }
    lines.push(`    "${text}",`);
  }
  return `static const char *const ${name}[] = {\n${lines.join("\n")}\n    NULL};\n`;
}

const hash = createHash("sha256").update(script).digest("base64");
const code = `/* The page of reports, made from viewer/ by build.mjs. */
#include "results/page.h"

${literals("style", style)}
${literals("script", script)}
const olo_page_bundle olo_page_bundle_built = {
    .style = style, .script = script, .script_hash = "${hash}", .size = ${script.length + style.length}};
`;
writeFileSync(output, code);
