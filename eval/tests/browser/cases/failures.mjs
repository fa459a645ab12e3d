// Groups of failures, and expressions that filter by them.

import assert from "node:assert/strict";
import { eventually } from "../eventually.mjs";

const rows = (page) => page.locator("a.row .first").allTextContents();

export default [
  [
    "failures: a group shows its attempts, and the address keeps the filter",
    async ({ page, show, shown }) => {
      await show(page, "#/run/arc-20261121-070000-0001");
      const group = page.locator(".group").filter({ hasText: "Same limit" });
      assert.equal(await group.locator(".group-cost").textContent(), "$0.25");
      await group.getByRole("button").click();
      await page.waitForFunction(() => document.querySelectorAll("a.row").length === 1);
      await eventually(async () => assert.deepEqual(await rows(page), ["arc-five"]));
      await eventually(async () => assert.match(page.url(), /search=why%3Alimit-/));
      await page.reload();
      await shown(page);
      await eventually(async () => assert.deepEqual(await rows(page), ["arc-five"]));
      await page.getByRole("searchbox").fill("score<1 status:ok");
      await page.waitForFunction(() => document.querySelector(".matching").textContent === "2 of 5 match");
      page.removeAllListeners("console");
      await page.getByRole("searchbox").fill("scor<1");
      await page.getByText("did you mean `score`?").waitFor();
    },
  ],
];
