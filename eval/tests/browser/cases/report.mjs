// The page of `rlm-eval report` over six runs: nothing overflows the window, and the accessibility checker reports nothing.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { looks } from "./look.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export default looks.map((kind) => [
  `report: six runs, ${kind.scheme}, ${kind.width} pixels`,
  async ({ page, folder }) => {
    await page.goto(`file://${folder}/export/report.html`);
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/report-${kind.width}-${kind.scheme}.png`, fullPage: true });
    const wider = await page.evaluate(() => [document.documentElement, ...document.querySelectorAll(".scroll, pre")].map((one) => one.scrollWidth - one.clientWidth).filter((over) => over > 0));
    assert.deepEqual(wider, []);
    const text = await page.locator("main").innerText();
    assert.match(text, /Each run with A: 5 comparisons; p values are corrected by Holm's method over these 5\./);
    assert.match(text, /Samples on which the runs differ/);
    const label = await page.locator(".failures svg.grid").first().getAttribute("aria-label");
    assert.equal(label, "answered: a grid of 3 rows and 4 columns, 2 cells differ");
    // Each sample links to its events, even with a hostile id.
    const links = await page.locator(".failures a").evaluateAll((all) => all.map((one) => one.href));
    assert.ok(links.length > 10 && links.every((link) => existsSync(fileURLToPath(link))), links.find((link) => !existsSync(fileURLToPath(link))));
    await page.evaluate(axe);
    const found = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
    const grave = found.violations.filter(({ impact }) => ["serious", "critical"].includes(impact));
    assert.deepEqual(grave.map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 200)}`), []);
  },
  kind,
]);
