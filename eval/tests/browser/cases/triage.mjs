// From a list to its attempts and back: neighbors, sweeps in nested folders, two attempts side by side.

import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { eventually } from "../eventually.mjs";
import { append, eventsOf, record, trajectoryFile, writeRun } from "../fixture.mjs";
import { tickTwo } from "./runs.mjs";

const hash = (page) => new URL(page.url()).hash;
const [first, second] = ["arc-20261121-070000-0001", "arc-20261121-070000-0002"];
const begun = (system_prompt) => ({ type: "invocation_start", role: "root", query: "Q", model: "m", max_iterations: 5, system_prompt });
const cell = (iteration, code) => [{ type: "iteration_start", iteration }, { type: "llm_response", text: code, reasoning: null, usage: null, ms: 1 }, { type: "iteration_end", iteration, code, output: "", error: null, returned: null, intercepted: false, executed_ms: 1, dropped_blocks: 0 }];

export default [
  [
    "triage: next follows the list's order, and the trail leads back to the list",
    async ({ page, show }) => {
      await show(page, `#/run/${first}?filter=wrong&sort=cost&descending=1`);
      const listed = await page.locator("a.row").allTextContents();
      assert.deepEqual([...listed].sort(), ["arc-five", "arc-one", "arc-three"]);
      await page.locator("a.row").first().click();
      for (const [place, id] of listed.entries()) {
        await page.getByRole("heading", { name: id }).waitFor();
        await eventually(async () => assert.equal(await page.locator(".steps .quiet").innerText(), `${place + 1} of 3 of the list`));
        await page.keyboard.press("]");
      }
      // The last sample does not have a next one.
      await page.getByRole("heading", { name: listed.at(-1) }).waitFor();
      await page.keyboard.press("u");
      await page.waitForFunction(() => document.querySelectorAll("a.row").length === 3);
      await eventually(async () => assert.equal(hash(page), `#/run/${first}?filter=wrong&sort=cost&descending=1`));
    },
  ],
  [
    "triage: a sample of a comparison opens as two attempts, and next goes to the next difference",
    async ({ page, show, folder }) => {
      const runs = ["pair-20261121-150000-0001", "pair-20261121-150000-0002"];
      const dirs = runs.map((run, side) => writeRun(folder, run, { identity: { prompt_mode: side ? "coordinator" : "solver" }, records: ["p-1", "p-2", "p-10"].map((id) => ({ id, score: id === "p-2" ? 1 : side, answer: side ? "42" : "41" })) }));
      try {
        runs.forEach((run, side) => {
          const event = eventsOf(run, "p-1");
          const prompt = `## Environment\n\nJavaScript.\n\n## Workflow\n\n${side ? "Hand parts to children." : "Solve it."}\n`;
          const kinds = [begun(prompt), ...cell(1, "console.log(context.length)"), ...cell(2, side ? "await rlm('part')" : "context.slice(0, 9)")];
          writeFileSync(trajectoryFile(dirs[side], "p-1"), kinds.map((kind, at) => `${JSON.stringify(event(at, "root", kind))}\n`).join(""));
        });
        await show(page, `#/compare/${runs.join("/")}`);
        assert.deepEqual(await page.locator("a.row").allTextContents(), ["p-1", "p-10"]);
        await page.keyboard.press("j");
        await page.waitForFunction(() => document.activeElement.matches("a.row"));
        await page.keyboard.press("Enter");
        await page.getByText("The first 1 iteration ran the same code; here they diverge.").waitFor();
        assert.equal(await page.getByText("the same code", { exact: true }).count(), 2);
        assert.match(await page.locator(".differing").innerText(), /prompt mode\s+solver\s+coordinator/);
        await page.locator("summary", { hasText: "Workflow" }).click();
        await eventually(async () => assert.equal(await page.locator(".line-added", { hasText: "Hand parts to children." }).count(), 1));
        assert.equal(await page.locator("summary", { hasText: "Environment" }).count(), 0);
        await page.keyboard.press("]");
        await page.locator("h1", { hasText: "p-10" }).waitFor();
        await eventually(async () => assert.match(await page.locator(".steps").innerText(), /2 of 2 that differ/));
        // Open only one of them, and return to the comparison instead of its run.
        await page.keyboard.press("1");
        await page.locator(".timeline-box").waitFor();
        await page.keyboard.press("[");
        await page.getByText("1 of 2 that differ").waitFor();
        await page.keyboard.press("u");
        await page.getByRole("heading", { name: "Comparison" }).waitFor();
      } finally {
        for (const dir of dirs) rmSync(dir, { recursive: true });
      }
    },
  ],
  [
    "triage: two attempts side by side follow the running one, and diverge only where both are complete",
    async ({ page, show, folder }) => {
      const run = "ahead-20261121-180000-0001";
      const dir = writeRun(folder, run, { records: [{ id: "s" }], planned: 2 });
      const write = (attempt, kinds) => kinds.forEach((kind, at) => append(trajectoryFile(dir, "s", attempt), eventsOf(run, "s", attempt)(at, "root", kind)));
      const divergence = page.locator(".divergence");
      const iterations = (count) => page.waitForFunction((wanted) => document.querySelectorAll(".pair-grid .iteration").length === wanted, count);
      const [start, code, end] = cell(2, "await rlm('part')");
      try {
        write(1, [begun(null), ...cell(1, "console.log(context.length)"), ...cell(2, "context.slice(0, 9)")]);
        write(2, [begun(null), ...cell(1, "console.log(context.length)")]);
        await show(page, `#/pair/${run}/s/1/${run}/s/2`);
        await iterations(3);
        assert.equal(await divergence.count(), 0);
        assert.equal(await page.getByText("attempt 2 has no record yet.").count(), 1);
        write(2, [start]);
        await iterations(4);
        assert.equal(await divergence.count(), 0);
        write(2, [code, end]);
        append(`${dir}/samples.jsonl`, record(run, { id: "s", attempt: 2 }));
        await divergence.waitFor();
        assert.equal(await divergence.innerText(), "The first 1 iteration ran the same code; here they diverge.");
        await page.getByText("attempt 2 has no record yet.").waitFor({ state: "detached" });
      } finally {
        rmSync(dir, { recursive: true });
      }
    },
  ],
  [
    "triage: next from two attempts of one compared run goes to the same attempts of the next sample",
    async ({ page, show, folder }) => {
      const runs = ["twice-20261121-190000-0001", "twice-20261121-190000-0002"];
      const records = (score) => ["t-1", "t-2"].flatMap((id) => [1, 2].map((attempt) => ({ id, attempt, score })));
      const dirs = runs.map((run, side) => writeRun(folder, run, { records: records(side) }));
      try {
        await show(page, `#/compare/${runs.join("/")}`);
        await page.locator("a.plain").first().click();
        await page.getByRole("link", { name: "Attempts 1 and 2 side by side" }).click();
        await page.locator("h1", { hasText: "t-1" }).waitFor();
        await page.locator(".pair-grid").first().waitFor();
        await page.keyboard.press("]");
        await page.locator("h1", { hasText: "t-2" }).waitFor();
        await eventually(async () => assert.deepEqual(await page.locator(".pair-grid .badge").allTextContents(), ["attempt 1", "attempt 2"]));
      } finally {
        for (const dir of dirs) rmSync(dir, { recursive: true });
      }
    },
  ],
  [
    "triage: attempts of one sample, their spread, and pass@k",
    async ({ page, show, folder }) => {
      const run = "many-20261121-160000-0001";
      const records = ["m-1", "m-2"].flatMap((id, sample) => [1, 2, 3, 4].map((attempt) => ({ id, attempt, score: attempt > sample * 3 ? 1 : 0 })));
      const dir = writeRun(folder, run, { records });
      try {
        await show(page, `#/run/${run}`);
        const tiles = await page.locator(".tiles").innerText();
        assert.match(tiles, /pass@1\s+0\.625/);
        assert.match(tiles, /pass@4\s+1\.000/);
        assert.match(await page.locator("figure", { hasText: "Samples by right attempts" }).innerText(), /4 of 4\s+1\s+3 of 4\s+0\s+2 of 4\s+0\s+1 of 4\s+1\s+0 of 4\s+0/);
        await page.locator("a.row").last().click();
        await page.getByRole("link", { name: "Attempts 4 and 1 side by side" }).click();
        await page.getByText("Two attempts of one run: their settings are the same.").waitFor();
        await eventually(async () => assert.deepEqual(await page.locator(".pair-grid .badge").allTextContents(), ["attempt 4", "attempt 1"]));
      } finally {
        rmSync(dir, { recursive: true });
      }
    },
  ],
  [
    "triage: a sweep is a folder with a matrix, and leads to its runs and back",
    async ({ page, show, folder }) => {
      const ways = [["01-direct", { protocol: "direct", prompt_mode: null }], ["02-solver", { prompt_mode: "solver" }], ["03-coordinator", { prompt_mode: "coordinator" }]];
      const models = ["openai/small", "openai/large"];
      try {
        for (const [model, offset] of [[models[0], 0], [models[1], 3]]) for (const [place, [name, identity]] of ways.entries()) writeRun(`${folder}/a-sweep`, `${name}-${offset}`, { identity: { model, ...identity }, records: [{ id: "x", score: (place + offset) / 5 }] });
        writeFileSync(`${folder}/a-sweep/sweep.json`, JSON.stringify({ v: 1, cells: [{ name: "04-never" }] }));
        await show(page);
        const row = page.locator("tr", { hasText: "a-sweep" });
        assert.match(await row.innerText(), /sweep of 6 runs\s+1 not begun\s+1\.000/);
        await row.locator("a.row").click();
        await page.locator(".matrix").waitFor();
        await eventually(async () => assert.deepEqual(await page.locator(".matrix th").allInnerTexts(), ["mode", "model openai/large", "model openai/small"]));
        assert.equal(await page.locator(".matrix-cell.best").getAttribute("title"), "a-sweep/03-coordinator-3");
        assert.equal(await page.getByText("Not begun: 04-never.").count(), 1);
        await page.locator(".matrix-cell.best").click();
        await page.locator("a.row", { hasText: "x" }).waitFor();
        await page.keyboard.press("u");
        await page.locator(".matrix").waitFor();
        await eventually(async () => assert.equal(hash(page), "#/runs?folder=a-sweep"));
        // A comparison leads back to the folder, a run outside the folder to all runs.
        await tickTwo(page);
        await page.keyboard.press("c");
        await page.getByRole("heading", { name: "Comparison" }).waitFor();
        await page.keyboard.press("u");
        await page.locator(".matrix").waitFor();
        await page.evaluate((run) => (location.hash = `#/run/${run}`), first);
        await page.locator("a.row", { hasText: "arc-one" }).waitFor();
        await page.keyboard.press("u");
        await page.locator("h1", { hasText: "Runs" }).waitFor();
        // The folder itself leads to all runs.
        await row.locator("a.row").click();
        await page.locator(".matrix").waitFor();
        await page.keyboard.press("u");
        await page.locator("h1", { hasText: "Runs" }).waitFor();
      } finally {
        rmSync(`${folder}/a-sweep`, { recursive: true, force: true });
      }
    },
  ],
  [
    "triage: two runs without common samples do not count as equal",
    async ({ page, show }) => {
      await show(page, `#/compare/${second}/tree-20261121-080000-0001`);
      await page.getByText("They have no sample in common").waitFor();
      assert.doesNotMatch(await page.locator("main").innerText(), /agree on/);
      assert.equal(await page.getByText("These runs have different benchmarks, datasets or scorers.").count(), 1);
    },
  ],
];
