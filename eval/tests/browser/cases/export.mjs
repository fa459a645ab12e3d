// An exported page: opened from the disk, without a server.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { unharmed } from "./safe.mjs";

/** Opens an exported page and waits until it is shown. */
async function open(page, { folder, shown }, name) {
  const requests = [];
  page.on("request", (request) => requests.push(request.url()));
  const file = `${folder}/export/${name}.html`;
  assert.ok(existsSync(file), file);
  await page.goto(`file://${file}`);
  await shown(page);
  return () => assert.deepEqual(requests.filter((url) => !url.startsWith("file:") && !url.startsWith("data:")), []);
}

export default [
  [
    "export: one sample as a page",
    async (tools) => {
      const { page } = tools;
      const alone = await open(page, tools, "tree");
      await page.getByText("[ '42', '41', '40' ]").waitFor();
      await page.keyboard.press("n");
      await page.getByRole("heading", { name: "d1-c0", exact: true }).waitFor();
      assert.equal(await page.locator("#trail").getByRole("link").count(), 0);
      // Without such an iteration, the last ones are shown.
      await page.evaluate(() => (location.hash = "#/run/tree-20261121-080000-0001/tree/1?iteration=999"));
      await page.locator('[data-iteration="2"]').waitFor();
      assert.equal(await page.getByText("This is not part of the exported page.").count(), 0);
      alone();
    },
  ],
  [
    "export: one run as a page",
    async (tools) => {
      const { page } = tools;
      const alone = await open(page, tools, "run");
      await page.getByRole("link", { name: "arc-one" }).waitFor();
      // The page contains only one order and one scorer.
      assert.equal(await page.locator("th button").count(), 0);
      assert.equal(await page.getByLabel("Scores by").count(), 0);
      for (const back of ["#trail a", "a.home"]) {
        await page.getByRole("link", { name: "arc-one" }).click();
        await page.locator(".grid").first().waitFor();
        await page.locator(back).click();
        await page.getByRole("link", { name: "arc-one" }).waitFor();
      }
      alone();
    },
  ],
  [
    "export: hostile texts do not run in an exported page",
    async (tools) => {
      const { page } = tools;
      const alone = await open(page, tools, "hostile");
      await page.getByText("<script>window.pwned = 1</script>").first().waitFor();
      await unharmed(page);
      alone();
    },
  ],
];
