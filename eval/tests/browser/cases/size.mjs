// Large data: the first view reads and draws little, however large the data is.

import assert from "node:assert/strict";

const pages = {
  "a run of 5,000 samples": "#/run/large-20261121-100000-0001",
  "two such runs compared": "#/compare/large-20261121-100000-0001/large-20261121-110000-0002",
  "a trajectory of 2,000 iterations": "#/run/long-20261121-090000-0001/long/1",
  "its iteration 1,960, which printed a megabyte": "#/run/long-20261121-090000-0001/long/1?iteration=1960",
  "all runs": "",
};

/** Maximum elements and bytes read of a page, far below those of all the data. */
const most = { elements: 10_000, bytes: 600_000 };

const sizeOf = (page) =>
  page.evaluate(() => {
    const read = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")];
    return { elements: document.querySelectorAll("*").length, bytes: read.reduce((sum, one) => sum + one.decodedBodySize, 0) };
  });

export default [
  ...Object.entries(pages).map(([name, hash]) => [
    `size: the first view of ${name} is small`,
    async ({ page, show }) => {
      await show(page, hash);
      const size = await sizeOf(page);
      const time = await page.evaluate(() => performance.getEntriesByName("shown")[0].startTime);
      console.log(`        ${Math.round(time)} ms, ${size.elements} elements, ${size.bytes} bytes`);
      assert.ok(size.bytes > 0 && size.elements < most.elements && size.bytes < most.bytes, JSON.stringify(size));
    },
  ]),
  [
    "size: every response is small",
    async ({ page, show }) => {
      const sizes = [];
      page.on("response", async (response) => sizes.push([response.url(), (await response.body().catch(() => "")).length]));
      await show(page, "#/run/long-20261121-090000-0001/long/1?iteration=40");
      await show(page, "#/run/large-20261121-100000-0001");
      await page.waitForTimeout(300);
      assert.deepEqual(sizes.filter(([, size]) => size > 300_000), []);
    },
  ],
  [
    "size: any iteration opens quickly, and a megabyte of output is read on request",
    async ({ page, show }) => {
      await show(page, "#/run/long-20261121-090000-0001/long/1");
      await page.getByLabel("Go to iteration").fill("1960");
      await page.keyboard.press("Enter");
      const article = page.locator('[data-iteration="1960"]');
      await article.waitFor();
      const output = article.locator("pre.output");
      assert.ok((await output.textContent()).length < 10_000);
      await article.getByRole("button", { name: /Show more of 1\.0 MB/ }).click();
      await page.waitForFunction(() => document.querySelector('[data-iteration="1960"] pre.output').textContent.length === 1_000_000);
    },
  ],
];
