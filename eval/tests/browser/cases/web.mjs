// The turns of a web agent: page, picture, envelope, results, state.

import assert from "node:assert/strict";
import { eventually } from "../eventually.mjs";
import { writeApp, writeWeb } from "../fixture.mjs";

export default [
  [
    "web: a turn shows its dump, screenshot, envelope and results; hostile pages are text",
    async ({ page, show, folder }) => {
      await show(page, writeWeb(folder));
      const doings = await page.locator("a.agent .segment").evaluateAll((all) => all.map((one) => one.className));
      assert.deepEqual(doings, ["browser", "model", "browser", "model", "browser"].map((kind) => `segment ${kind}`));
      assert.deepEqual(await page.locator(".timeline .key").allInnerTexts(), ["model", "browser"]);
      const first = page.locator("article").first();
      assert.match(await first.locator(".dump > summary").innerText(), /\/lamps\s*40 characters, 1 id, 2\.5 ms/);
      await first.locator(".dump > summary").click();
      for (const text of ["VIEWPORT: 0px above · 900px visible · 240px below", "On the page of lamps.", "find the price", "`args` was missing", "stale_id: [3a2b] is stale"]) await eventually(async () => assert.equal(await first.getByText(text).count(), 1, text));
      assert.deepEqual(await first.locator(".actions > li").allInnerTexts().then((all) => all.map((one) => one.split(/[\s:]/)[0])), ["says", "click", "border"]);
      assert.match(await first.locator(".actions > li").nth(1).innerText(), /^click \[3a2b\]\s*✗ failed: stale_id: \[3a2b\] is stale$/);
      assert.match(await first.locator(".actions > li").first().innerText(), /^says to the user:\s*✓ done\s*<script>window\.pwned/);
      await eventually(async () => assert.ok(await first.locator("img.screenshot").evaluate((image) => image.complete && image.naturalWidth === 1)));
      assert.equal(await first.locator("img.screenshot").getAttribute("alt"), "The page");
      assert.equal(await first.getByText("The code is running").count(), 0);
      const second = page.locator("article").nth(1);
      for (const text of ["the page did not answer", "it holds no call of `agent_turn`", "Scored state"]) assert.equal(await second.getByText(text).count(), 1, text);
      const call = second.locator("details", { hasText: "Page call" });
      assert.match(await call.locator("pre").innerText(), /^All the text of the page\./);
      await call.getByRole("button", { name: /Show more of 1\d kB/ }).click();
      await eventually(async () => assert.equal((await call.locator("pre").textContent()).length, 13_000));
      assert.equal(await page.evaluate(() => window.pwned), undefined);
    },
  ],
  [
    "web: the scored state is next to the expected one; an app is shown as HTML",
    async ({ page, show, folder }) => {
      await show(page, writeApp(folder));
      assert.deepEqual(await page.locator(".answers h2").allInnerTexts(), ["Scored state", "Expected", "Answered"]);
      assert.match(await page.locator(".answer").first().innerText(), /"check": \[\s*"0"/);
      assert.match(await page.locator(".answer").last().innerText(), /Empty text\./);
      const app = page.locator("article").first().locator("pre.code");
      assert.match(await app.innerText(), /^<!DOCTYPE html>\n<p id="count">0<\/p>\n<script>let n = 0;/);
      assert.deepEqual(await app.locator(".js-keyword").allInnerTexts(), ["<p", ">", "</p", ">", "<script", ">", "let", "</script", ">"]);
      // The beginning of a long app is shown immediately.
      const long = page.locator("article").nth(1);
      assert.match(await long.locator("pre.code").innerText(), /^<h1>"Long"<\/h1>\n<p>0<\/p>/);
      await long.getByRole("button", { name: "Show all of" }).click();
      await long.locator("pre.code", { hasText: "<p>1999</p>" }).waitFor();
      assert.equal(await page.evaluate(() => window.pwned), undefined);
    },
  ],
];
