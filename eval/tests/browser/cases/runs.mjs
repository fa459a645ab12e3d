// The table of runs, the comparison, and the page of a run.

import assert from "node:assert/strict";
import { eventually } from "../eventually.mjs";

const names = (page) => page.locator("a.row").allTextContents();

const focusesRow = (page, place) => page.waitForFunction((at) => document.querySelectorAll("a.row")[at] === document.activeElement, place);

/** Selects the first two runs by keyboard. */
export async function tickTwo(page) {
  for (const place of [0, 1]) {
    await page.keyboard.press("j");
    await focusesRow(page, place);
    await page.keyboard.press("x");
    await page.waitForFunction((count) => document.querySelectorAll("input[type=checkbox]:checked").length === count, place + 1);
  }
}

export default [
  [
    "runs: sorting and filtering, kept in the address",
    async ({ page, show }) => {
      await show(page);
      assert.equal((await names(page)).length, 8);
      await page.getByRole("button", { name: "Score", exact: true }).click();
      // The table is drawn again some time after the click.
      await page.waitForFunction(() => {
        const scores = [...document.querySelectorAll("td.score .figure")].map((one) => Number(one.textContent));
        return scores.length === 8 && scores.every((score, at) => at === 0 || scores[at - 1] >= score);
      });
      await page.getByRole("searchbox").fill("arc coordinator");
      await page.getByText("2 of 8 runs match").waitFor();
      assert.deepEqual((await names(page)).sort(), ["arc-20261121-070000-0001", "arc-20261121-070000-0002"]);
      await page.reload();
      await page.locator("a.row").first().waitFor();
      assert.equal((await names(page)).length, 2);
      await page.getByRole("searchbox").fill("no such run");
      await page.getByText("No run matches.").waitFor();
    },
  ],
  [
    "runs: two selected runs are compared, by keyboard only",
    async ({ page, show }) => {
      await show(page, "#/runs?filter=arc-2026");
      await tickTwo(page);
      await page.keyboard.press("c");
      await page.getByRole("heading", { name: "Comparison" }).waitFor();
      const cards = await page.locator(".card").allTextContents();
      assert.match(cards[1], /\+0\.250/);
      assert.match(cards[1], /1 better, 0 worse, 3 the same, of 4 samples/);
      // Errors excluded and as zero, as in the terminal.
      assert.match(cards[1], /errors excluded.*\+0\.250.*errors as zero.*of 5 samples/s);
      assert.doesNotMatch(await page.locator("main").innerText(), /\bnull\b/);
      const differing = await page.locator(".differing").innerText();
      assert.match(differing, /differ in a part of their fingerprints that their records do not show/);
      await eventually(async () => assert.deepEqual(await names(page), ["arc-one"]));
      await page.keyboard.press("j");
      await focusesRow(page, 0);
      await page.keyboard.press("Enter");
      // The two attempts side by side, and back to the comparison.
      await page.locator(".pair-grid .grid").first().waitFor();
      await page.keyboard.press("u");
      await page.getByRole("heading", { name: "Comparison" }).waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("heading", { name: "Runs" }).waitFor();
      await eventually(async () => assert.equal(new URL(page.url()).hash, "#/runs?filter=arc-2026"));
    },
  ],
  [
    "runs: a comparison fits into a window of 320 pixels",
    async ({ page, show }) => {
      await show(page, "#/compare/arc-20261121-070000-0001/arc-20261121-070000-0002");
      const wider = await page.evaluate(() => [document.documentElement, ...document.querySelectorAll(".card .estimate")].map((one) => one.scrollWidth - one.clientWidth).filter((over) => over > 0));
      assert.deepEqual(wider, []);
    },
    { width: 320 },
  ],
  [
    "runs: the scores of another scorer, chosen on a run, stay chosen in its comparison",
    async ({ page, show }) => {
      const run = "arc-20261121-070000-0001";
      const scores = () => page.evaluate(() => new URLSearchParams(location.hash.split("?")[1] ?? "").get("scores"));
      await show(page, `#/run/${run}`);
      const choice = page.getByLabel("Scores by");
      assert.deepEqual(await choice.locator("option").allTextContents(), ["arc-grid/1", "strict/1"]);
      await choice.selectOption("strict/1");
      await page.locator(".figure", { hasText: "0.125" }).first().waitFor();
      assert.equal(await scores(), "strict/1");
      await page.reload();
      await page.locator(".figure", { hasText: "0.125" }).first().waitFor();
      await page.locator("a.row").first().click();
      await page.locator(".timeline-box").waitFor({ state: "attached" });
      assert.equal(await scores(), "strict/1");
      await page.keyboard.press("u");
      await page.getByLabel("Scores by").selectOption("arc-grid/1");
      await page.waitForFunction(() => ![...document.querySelectorAll(".figure")].some((one) => one.textContent.includes("0.125")));
      await show(page, `#/compare/${run}/arc-20261121-070000-0002`);
      await page.getByLabel("Scores by").selectOption("strict/1");
      await page.getByText("They do not differ on any sample").waitFor();
      assert.equal(await scores(), "strict/1");
    },
  ],
  [
    "runs: the best of three compared runs are compared with each other",
    async ({ page, show }) => {
      const [first, second] = ["arc-20261121-070000-0001", "arc-20261121-070000-0002"];
      await show(page, `#/compare/${first}/${second}/${first}`);
      const heading = page.getByRole("heading", { name: "Comparisons among the best" });
      await heading.waitFor();
      const cards = await page.locator(".card").allTextContents();
      assert.equal(cards.length, 4);
      assert.match(cards[3], /C against B.*0 better, 1 worse, 3 the same, of 4 samples/s);
      const said = await page.locator("main").innerText();
      assert.match(said, /Each run with A: 2 comparisons; p values are corrected by Holm's method over these 2\./);
      assert.match(said, /B, C with each other: 1 comparison; it is the only one/);
      assert.doesNotMatch(said, /\bnull\b/);
    },
  ],
  [
    "runs: the page of a fork names the attempt that it continues",
    async ({ page, show }) => {
      await show(page, "#/run/tree-20261121-080000-0001");
      const origin = "Fork of tree-20261120: attempt 2 at tree, from iteration 3, with 4 inherited responses ($0.12 in that run). Note: Check the units.";
      assert.equal(await page.locator(".fork").innerText(), origin);
    },
  ],
  [
    "runs: an answer without an expected one stands alone",
    async ({ page, show, folder }) => {
      const { writeRun } = await import("../fixture.mjs");
      const { rmSync } = await import("node:fs");
      const run = "served-20261121-060000-aaaa";
      const dir = writeRun(folder, run, { records: [{ id: "request-000001", expected: null, answer: "42 lines", score: null }] });
      try {
        await show(page, `#/run/${run}/request-000001/1`);
        assert.deepEqual(await page.locator(".answers h2").allInnerTexts(), ["Answered"]);
      } finally {
        rmSync(dir, { recursive: true });
      }
    },
  ],
  [
    "runs: truncated ids leave room for results and stay distinct",
    async ({ page, show, folder }) => {
      const { writeRun } = await import("../fixture.mjs");
      const { rmSync } = await import("node:fs");
      const run = "a-benchmark-of-a-rather-long-name-coordinator-20261121-060000-aaaa";
      const sample = (last) => `a sample whose id is a whole sentence, as ids of people sometimes are, number ${last}`;
      const dir = writeRun(folder, run, { identity: { model: "openai/gpt-test" }, records: [{ id: sample(1001) }, { id: sample(1002) }] });
      try {
        await show(page);
        const row = page.locator("tr", { has: page.locator(`a.row[title="${run}"]`) });
        assert.ok(await row.getByText("solver · openai/gpt-test").isVisible());
        const inside = async (place) => {
          const box = await place.boundingBox();
          assert.ok(box.x >= 0 && box.x + box.width <= 400, JSON.stringify(box));
        };
        await inside(row.locator(".clip-id .last"));
        assert.equal(await row.locator(".clip-id .last").innerText(), "-060000-aaaa");
        await row.locator("a.row").click();
        await page.getByRole("heading", { name: "s-niah solver" }).waitFor();
        const first = page.locator("tbody tr").first();
        assert.equal(await first.locator("a.row").getAttribute("title"), sample(1001));
        for (const place of [first.locator(".clip-id .last"), first.locator(".mark"), first.locator("td.text .clip").first()]) await inside(place);
        const box = await page.locator(".scroll").evaluate((one) => one.scrollWidth - one.clientWidth);
        assert.ok(box <= 0, `the table is ${box} pixels wider than its box`);
      } finally {
        rmSync(dir, { recursive: true });
      }
    },
    { width: 400 },
  ],
  [
    "runs: a comparison leads back to the filtered runs, and a sample to its run",
    async ({ page, show }) => {
      await show(page, "#/runs?filter=arc-2026");
      await tickTwo(page);
      await page.keyboard.press("c");
      await page.getByRole("heading", { name: "Comparison" }).waitFor();
      await page.keyboard.press("u");
      await page.getByRole("heading", { name: "Runs" }).waitFor();
      await eventually(async () => assert.equal(new URL(page.url()).hash, "#/runs?filter=arc-2026"));
      await page.locator("a.row").last().click();
      await page.getByRole("button", { name: "Wrong" }).click();
      await page.waitForFunction(() => document.querySelectorAll("a.row").length === 3);
      await page.locator("a.row").first().click();
      await page.locator("#trail").getByText("arc-five").waitFor();
      await page.keyboard.press("u");
      await page.waitForFunction(() => location.hash.endsWith("?filter=wrong") && document.querySelectorAll("a.row").length === 3);
    },
  ],
  [
    "run: filters, search, order and pages, all by keyboard",
    async ({ page, show }) => {
      await show(page, "#/run/arc-20261121-070000-0001");
      const shows = (wanted) => eventually(async () => assert.deepEqual(await names(page), wanted));
      await shows(["arc-five", "arc-four", "arc-one", "arc-three", "arc-two"]);
      await page.keyboard.press("w");
      await shows(["arc-five", "arc-one", "arc-three"]);
      await page.keyboard.press("e");
      await shows(["arc-four"]);
      await page.keyboard.press("a");
      await shows(["arc-five", "arc-four", "arc-one", "arc-three", "arc-two"]);
      await page.keyboard.press("/");
      await page.keyboard.type("no grid");
      await shows(["arc-three"]);
      await page.keyboard.press("Escape");
      await page.keyboard.press("j");
      await focusesRow(page, 0);
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "arc-three" }).waitFor();
      await page.goBack();
      await shows(["arc-three"]);
      await page.getByRole("searchbox").fill("");
      await page.getByRole("button", { name: "Limit" }).click();
      await shows(["arc-five"]);
    },
  ],
  [
    "run: a click on a filter counts while the search redraws the list",
    async ({ page, show }) => {
      await show(page, "#/run/arc-20261121-070000-0001");
      const button = page.getByRole("button", { name: "Limit" });
      const { x, y } = await button.boundingBox();
      await page.mouse.move(x + 5, y + 5);
      await page.getByRole("searchbox").fill("no grid");
      await page.mouse.down();
      await eventually(async () => assert.deepEqual(await names(page), ["arc-three"]));
      await page.mouse.up();
      await eventually(async () => assert.equal(await button.getAttribute("aria-pressed"), "true"));
    },
  ],
  [
    "run: figures and plots",
    async ({ page, show }) => {
      await show(page, "#/run/large-20261121-100000-0001");
      assert.match(await page.locator(".tiles").innerText(), /0\.7\d\d\s+\[0\.\d\d, 0\.\d\d\]/);
      const plots = await page.locator(".plot svg[role=img]").evaluateAll((all) => all.map((plot) => plot.getAttribute("aria-label")));
      assert.deepEqual(plots.map((label) => label.split(" of ")[0]), ["Iterations", "Time", "Agents", "Cost"]);
      // The rows below the screen are drawn with the next frame.
      await page.waitForFunction(() => document.querySelectorAll("tbody tr").length === 100);
      await page.getByRole("button", { name: "Next →" }).click();
      await page.getByText("101–200 of 5,000 samples").waitFor();
      await eventually(async () => assert.equal((await names(page))[0], "s-101"));
    },
  ],
  [
    "run: an update whose request failed is repeated",
    async ({ page, show, folder }) => {
      const { append, record, writeRun } = await import("../fixture.mjs");
      const { rmSync } = await import("node:fs");
      const run = "cut-20261121-190000-0001";
      const dir = writeRun(folder, run, { records: [{ id: "s-1" }], planned: 2 });
      try {
        await show(page, `#/run/${run}`);
        await page.getByText("1 of 2 attempts").waitFor();
        // The browser itself logs the failed request.
        page.removeAllListeners("console");
        await page.route(/\/api\/run\?/, (route) => route.abort(), { times: 1 });
        append(`${dir}/samples.jsonl`, record(run, { id: "s-2" }));
        await page.getByText("2 of 2 attempts").waitFor();
      } finally {
        rmSync(dir, { recursive: true });
      }
    },
  ],
  [
    "run: new records appear without a reload",
    async ({ page, show, folder }) => {
      const { append, eventsOf, record, trajectoryFile } = await import("../fixture.mjs");
      const { readFileSync, writeFileSync } = await import("node:fs");
      const run = "live-20261121-120000-0001";
      const dir = `${folder}/${run}`;
      await show(page, `#/run/${run}`);
      await page.getByText("s-2").waitFor();
      assert.equal(await page.locator("a.row").count(), 1);
      // Complete the truncated line, as a resumed run would.
      writeFileSync(`${dir}/samples.jsonl`, readFileSync(`${dir}/samples.jsonl`, "utf8").split("\n").slice(0, 1).join("\n") + "\n");
      append(`${dir}/samples.jsonl`, record(run, { id: "s-3", score: 0, answer: "41" }));
      await page.waitForFunction(() => document.querySelectorAll("a.row").length === 2);
      await page.getByRole("link", { name: "s-2" }).click();
      await page.getByRole("heading", { name: "s-2 running" }).waitFor();
      const event = eventsOf(run, "s-2");
      append(trajectoryFile(dir, "s-2"), event(5, "root", { type: "iteration_start", iteration: 1 }));
      append(trajectoryFile(dir, "s-2"), event(6, "root", { type: "llm_response", text: "I am here now.", reasoning: null, usage: null, ms: 1 }));
      await page.getByText("I am here now.").waitFor();
      await page.locator(".agent-head").getByText("1 of 15 iterations").waitFor();
      append(trajectoryFile(dir, "s-2"), event(7, "root", { type: "iteration_start", iteration: 2 }));
      append(trajectoryFile(dir, "s-2"), event(8, "root", { type: "llm_request", new_messages: [], messages: 1 }));
      // The header is updated, and opened sections stay open.
      await page.getByText("System prompt").click();
      await page.locator(".agent-head").getByText("2 of 15 iterations · 1 request").waitFor();
      append(trajectoryFile(dir, "s-2"), event(9, "root", { type: "invocation_end", status: "error", answer: null, error: "the provider went away", iterations: 2 }));
      await page.locator(".agent-box").getByText("the provider went away").waitFor();
      await eventually(async () => assert.equal(await page.locator(".agent-head .badge").innerText(), "error"));
      assert.equal(await page.locator(".agent-texts details.prompt").first().getAttribute("open"), "");
    },
  ],
  [
    "runs: a partly unknown cost is marked",
    async ({ page, show, folder }) => {
      const { append, eventsOf, trajectoryFile, writeRun } = await import("../fixture.mjs");
      const { rmSync } = await import("node:fs");
      const run = "partly-priced";
      const costs = [0.5, null];
      const dir = writeRun(folder, `costs/${run}`, { records: costs.map((cost_usd, place) => ({ id: `s-${place}`, cost_usd })) });
      writeRun(folder, "costs/other", { identity: { prompt_mode: "coordinator" }, records: [{ id: "s-0", cost_usd: 0.25 }] });
      writeRun(folder, "costs/unpriced", { identity: { prompt_mode: "minimal" }, records: [{ id: "s-0", cost_usd: null }] });
      const event = eventsOf(run, "s-0");
      append(trajectoryFile(dir, "s-0"), event(1, "root", { type: "invocation_start", role: "root", query: "Q", model: "m", max_iterations: 5, system_prompt: null }));
      for (const cost_usd of costs) append(trajectoryFile(dir, "s-0"), event(2, "root", { type: "llm_response", text: "t", reasoning: null, usage: null, cost_usd, ms: 1 }));
      try {
        await show(page, "#/runs?folder=costs");
        const row = (name) => page.locator("tr", { has: page.locator(`a.row[title$="/${name}"]`) });
        await row(run).getByText("and 1 unknown").waitFor();
        await row("unpriced").getByText("1 unknown", { exact: true }).waitFor();
        assert.deepEqual(await page.locator(".matrix-cell .more-figure").allInnerTexts(), ["$0.25", "$0.50 and 1 unknown"]);
        await show(page, `#/run/${encodeURIComponent(`costs/${run}`)}/s-0/1`);
        assert.equal(await page.locator(".agent .cost").innerText(), "≥ $0.50");
      } finally {
        rmSync(`${folder}/costs`, { recursive: true });
      }
    },
  ],
];
