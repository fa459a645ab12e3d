// Agents without a REPL: their iterations are not shown as code that runs.

import assert from "node:assert/strict";
import { writeRole } from "../fixture.mjs";

/** Role, heading of its first iteration, label of its response, and whether code could still be running. */
const rows = [
  ["direct", "The call", "Answer", 0],
  ["summary", "The call", "Answer", 0],
  ["tools", "Iteration 1", "Response", 0],
  ["codeact", "Iteration 1", "Response", 1],
];

export default rows.map(([role, heading, label, running]) => [
  `without REPL: an iteration of the role ${role}`,
  async ({ page, show, folder }) => {
    await show(page, writeRole(folder, role));
    const iteration = page.locator("article").first();
    await iteration.getByRole("heading", { name: heading, exact: true }).waitFor();
    assert.equal(await iteration.getByText(label, { exact: true }).count(), 1);
    assert.equal(await iteration.getByText("The code is still running").count(), running);
  },
]);
