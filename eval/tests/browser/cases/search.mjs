// Full-text search: hits that link to their locations, kinds of texts, filters, and the address.

import assert from "node:assert/strict";
import { eventually } from "../eventually.mjs";

const hits = (page) => page.locator(".hit a.row").allTextContents();

/** Waits until the runs are indexed and a search has this many hits. */
const found = (page, count) => page.waitForFunction((wanted) => document.querySelectorAll(".hit").length === wanted, count);

export default [
  [
    "search: a hit links to its location, and nothing in it runs",
    async ({ page, show, shown }) => {
      await show(page, "#/search?q=found.best");
      await found(page, 2);
      assert.deepEqual(await hits(page), ["tree", "tree"]);
      await page.getByRole("button", { name: "Errors" }).click();
      await found(page, 1);
      assert.equal(await page.locator(".hit mark").textContent(), "found.best");
      await eventually(async () => assert.match(page.url(), /q=found.best&in=error/));
      await page.locator(".hit a.row").click();
      await page.locator('[data-iteration="1"]').waitFor();
      await eventually(async () => assert.match(page.url(), /tree-20261121-080000-0001\/tree\/1\?iteration=1/));
      // A search from a run finds only its texts. Hostile ones are shown as text.
      await page.locator("#search-link").click();
      await page.getByRole("searchbox").fill("pwned");
      await page.getByText("0 texts").waitFor();
      await page.getByRole("link", { name: "search all runs" }).click();
      await page.locator(".hit mark").first().waitFor();
      assert.equal(await page.evaluate(() => window.pwned), undefined);
      await page.getByRole("searchbox").fill("pwned score<0.5 status:limit");
      await page.getByText("0 texts").waitFor();
      await page.reload();
      await shown(page);
      await eventually(async () => assert.equal(await page.getByRole("searchbox").inputValue(), "pwned score<0.5 status:limit"));
    },
  ],
];
