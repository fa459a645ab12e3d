// Every page, light and dark, wide and narrow: nothing overflows, and the accessibility checker reports nothing
// serious. The quick suite shows each page in one of two looks, in turn, EVAL_TEST_FULL in all four.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const pages = {
  runs: "",
  compare: "#/compare/arc-20261121-070000-0001/arc-20261121-070000-0002",
  search: "#/search?q=find",
  run: "#/run/arc-20261121-070000-0001",
  tree: "#/run/tree-20261121-080000-0001/tree/1",
  grids: "#/run/arc-20261121-070000-0001/arc-one/1",
  long: "#/run/long-20261121-090000-0001/long/1?iteration=40",
  pair: "#/pair/arc-20261121-070000-0001/arc-one/1/arc-20261121-070000-0002/arc-one/1",
  missing: "#/run/nowhere",
};

export const looks = [
  { width: 1280, scheme: "light" },
  { width: 390, scheme: "dark" },
  ...(process.env.EVAL_TEST_FULL ? [{ width: 1280, scheme: "dark" }, { width: 390, scheme: "light" }] : []),
];

async function look(page, name, { width, scheme }) {
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${name}-${width}-${scheme}.png`, fullPage: name !== "long" });
  const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wider <= 0, `the page is ${wider} pixels wider than the window`);
  const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number)[0]);
  assert.equal(background < 128, scheme === "dark", "the colours are those of the system");
  // Evaluated as by the devtools, because the page's policy permits no other script.
  await page.evaluate(axe);
  const found = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  const grave = found.violations.filter(({ impact }) => ["serious", "critical"].includes(impact));
  const told = grave.map(({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.html.slice(0, 200)} ${node.failureSummary}`).join("\n  ")}`);
  assert.deepEqual(told, []);
}

/** Pages of a look: in the quick suite, every other one. */
const pagesOf = (place) => Object.entries(pages).filter((_, number) => process.env.EVAL_TEST_FULL || number % looks.length === place);

export default looks.flatMap((kind, place) =>
  pagesOf(place).map(([name, hash]) => [
    `look: ${name}, ${kind.scheme}, ${kind.width} pixels`,
    async ({ page, show }) => {
      // The browser itself logs the status 404.
      if (name === "missing") page.removeAllListeners("console");
      await show(page, hash);
      if (name === "tree") await page.locator(".spending > summary").click();
      if (name === "tree") for (const one of await page.locator("details.prompt > summary").all()) await one.click();
      await look(page, name, kind);
    },
    kind,
  ]),
);
