// The turns of a web agent: page, picture, envelope, results, state.

import assert from "node:assert/strict";
import { writeWeb } from "../fixture.mjs";

export default [
  [
    "web: a turn shows its dump, screenshot, envelope and results; hostile pages are text",
    async ({ page, show, folder }) => {
      await show(page, writeWeb(folder));
      const first = page.locator("article").first();
      assert.match(await first.locator(".dump > summary").innerText(), /\/lamps\s*40 characters, 1 id, 2\.5 ms/);
      await first.locator(".dump > summary").click();
      for (const text of ["VIEWPORT: 0px above · 900px visible · 240px below", "On the page of lamps.", "find the price", "`args` was missing", "stale_id: [3a2b] is stale"]) assert.equal(await first.getByText(text).count(), 1, text);
      assert.deepEqual(await first.locator(".actions > li").allInnerTexts().then((all) => all.map((one) => one.split(/[\s:]/)[0])), ["<script>window.pwned", "click", "border", "narrate", "click", "border"]);
      assert.ok(await first.locator("img.screenshot").evaluate((image) => image.complete && image.naturalWidth === 1));
      assert.equal(await first.getByText("The code is running").count(), 0);
      const second = page.locator("article").nth(1);
      for (const text of ["the page did not answer", "it holds no call of `agent_turn`", "The state that is judged"]) assert.equal(await second.getByText(text).count(), 1, text);
      assert.equal(await page.evaluate(() => window.pwned), undefined);
    },
  ],
];
