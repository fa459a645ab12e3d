// The page of a sample: agents in time, iterations, prompt, grids, links.

import assert from "node:assert/strict";
import { rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "../eventually.mjs";
import { append, eventsOf, trajectoryFile, writeRun } from "../fixture.mjs";

const tree = "#/run/tree-20261121-080000-0001/tree/1";

export default [
  [
    "sample: the tree of agents as a timeline",
    async ({ page, show }) => {
      await show(page, tree);
      // The trail, the window title and the page of a copied link show the run and its model.
      assert.equal(await page.locator("#trail").innerText().then((text) => text.replace(/\s+/g, " ")), "s-niah coordinator · openai/gpt-test tree");
      assert.equal(await page.title(), "tree · s-niah coordinator · openai/gpt-test · eval");
      assert.equal(await page.locator(".title + .path").innerText(), "drivers verify+exact-format · tree-20261121-080000-0001");
      const rows = await page.locator("a.agent").allInnerTexts();
      assert.deepEqual(rows.map((row) => row.split(/\s+/)[0]), ["root", "d1-c0rlm()", "d1-c1rlm()", "d2-c0llm()", "d1-c2rlm()", "d1-c3rlm()"]);
      assert.match(rows[2], /1\.2k → 80\s+1\.4 s\s+\$0\.0042/);
      assert.match(rows[5], /error/);
      const box = (place) => page.locator("a.agent").nth(place).locator(".life").boundingBox();
      const [first, second, third] = [await box(1), await box(2), await box(4)];
      // The first two ran concurrently; the third began when the first had ended.
      assert.equal(first.x, second.x);
      assert.ok(third.x >= first.x + first.width - 1);
      const doings = await page.locator("a.agent").first().locator(".segment").evaluateAll((all) => all.map((one) => one.className));
      assert.deepEqual(doings.slice(0, 6).map((kind) => kind.split(" ")[1]), ["model", "held", "model", "sandbox", "code", "waiting"]);
      assert.deepEqual(await page.locator(".timeline .key").allInnerTexts(), ["model", "waits to be sent", "code executes", "code waits: sandbox, processor, tools", "waits for children"]);
    },
  ],
  [
    "sample: an iteration with its reasoning, code, output, error, return and request",
    async ({ page, show }) => {
      await show(page, tree);
      const first = page.locator("article").first();
      for (const text of ["They run at once.", "[ '42', '41', '40' ]", "TypeError: found.best is not a function", "PAGE DUMP", "Sent again after 200 ms: 503 overloaded"]) assert.equal(await first.getByText(text).count(), 1, text);
      assert.equal(await first.locator(".js-keyword", { hasText: "await" }).count(), 1);
      assert.equal(await first.locator(".js-comment").innerText(), "// four");
      await eventually(async () => assert.ok(await first.locator("img.screenshot").evaluate((image) => image.complete && image.naturalWidth === 1)));
      assert.equal(await first.locator("img.screenshot").getAttribute("alt"), "What the model saw");
      const second = page.locator("article").nth(1);
      assert.equal(await second.locator("img.screenshot").getAttribute("alt"), "Screenshot");
      assert.equal(await second.locator(".returned").innerText(), "42");
      assert.equal(await second.getByText("The button was pressed.").count(), 1);
      assert.equal(await second.locator("img.screenshot").count(), 1);
    },
  ],
  [
    "sample: the system prompt by section",
    async ({ page, show }) => {
      await show(page, tree);
      await page.getByText("System prompt").click();
      await eventually(async () => assert.deepEqual(await page.locator(".section > summary").allInnerTexts(), ["Opening 29", "Environment 39", "Workflow 32"]));
      await page.locator(".section > summary").nth(2).click();
      await eventually(async () => assert.equal(await page.locator(".section pre").nth(2).innerText(), "## Workflow\n\n1. Look.\n2. Return."));
    },
  ],
  [
    "sample: agents, iterations and neighbors by keyboard; a link to an iteration",
    async ({ page, show, context, address, shown }) => {
      await show(page, tree);
      await page.keyboard.press("j");
      await eventually(async () => assert.equal(await page.evaluate(() => document.activeElement.dataset.iteration), "1"));
      await page.keyboard.press("j");
      await eventually(async () => assert.equal(await page.evaluate(() => document.activeElement.dataset.iteration), "2"));
      await eventually(async () => assert.equal(new URL(page.url()).hash, `${tree}?iteration=2`));
      await page.keyboard.press("n");
      await page.getByRole("heading", { name: "d1-c0", exact: true }).waitFor();
      await page.keyboard.press("p");
      await page.getByRole("heading", { name: "root", exact: true }).waitFor();
      await page.locator("article").nth(1).getByRole("button", { name: "Copy link" }).click();
      const link = `${new URL(address).origin}/${tree}?iteration=2`;
      await eventually(async () => assert.equal(await page.evaluate(() => navigator.clipboard.readText()), link));
      const other = await context.newPage();
      await other.goto(link);
      await shown(other);
      await eventually(async () => assert.equal(await other.evaluate(() => document.activeElement.dataset.iteration), "2"));
      await page.keyboard.press("?");
      await page.getByRole("dialog").getByText("next iteration").waitFor();
    },
    { permissions: ["clipboard-read", "clipboard-write"] },
  ],
  [
    "sample: a link to a child that has not begun yet shows the child when it begins",
    async ({ page, show, folder }) => {
      const run = "late-20261121-180000-0001";
      const dir = writeRun(folder, run, { records: [{ id: "other" }], planned: 2 });
      const event = eventsOf(run, "late");
      const write = (agent, query, text, place) => {
        const kinds = [{ type: "invocation_start", role: place ? "child" : "root", query, model: "m", max_iterations: 5, system_prompt: null }, { type: "iteration_start", iteration: 1 }, { type: "llm_response", text, reasoning: null, usage: null, ms: 1 }];
        for (const kind of kinds) append(trajectoryFile(dir, "late"), event(1, agent, kind, place));
      };
      try {
        write("root", "Find the number.", "I ask a child.");
        await show(page, `#/run/${run}/late/1?agent=d1-c0`);
        await page.locator("article").getByText("I ask a child.").waitFor();
        write("d1-c0", "Look into the part.", "I look.", { parent: "root", depth: 1 });
        await page.locator("article").getByText("I look.").waitFor();
        await page.locator(".agent-texts").getByText("Look into the part.").waitFor();
        await page.locator(".agent-head").getByRole("heading", { name: "d1-c0" }).waitFor();
        assert.equal(await page.locator(".agent-texts").getByText("Find the number.").count(), 0);
        assert.equal(await page.locator(".iteration-link").getAttribute("href"), `#/run/${run}/late/1?agent=d1-c0&iteration=1`);
      } finally {
        rmSync(dir, { recursive: true });
      }
    },
  ],
  [
    "sample: an attempt of a stopped run is stopped",
    async ({ page, show, folder }) => {
      const run = "stopped-20261121-190000-0001";
      const dir = writeRun(folder, run, { records: [{ id: "other" }], planned: 2 });
      const file = trajectoryFile(dir, "cut");
      try {
        append(file, eventsOf(run, "cut")(1, "root", { type: "invocation_start", role: "root", query: "Find it.", model: "m", max_iterations: 5, system_prompt: null }));
        const longAgo = new Date(Date.now() - 3_600_000);
        for (const name of [file, join(dir, "samples.jsonl"), join(dir, "trajectories")]) utimesSync(name, longAgo, longAgo);
        await show(page, `#/run/${run}/cut/1`);
        await page.getByRole("heading", { name: "cut stopped" }).waitFor();
        await page.getByRole("heading", { name: "root stopped" }).waitFor();
        assert.deepEqual(await page.locator(".badge").allInnerTexts(), ["stopped", "stopped", "stopped"]);
      } finally {
        rmSync(dir, { recursive: true });
      }
    },
  ],
  [
    "sample: a link to an iteration that does not exist shows the last ones",
    async ({ page, show }) => {
      await show(page, "#/run/long-20261121-090000-0001/long/1?iteration=9999");
      await page.locator(".range", { hasText: "1,981–2,000 of 2,000 iterations" }).first().waitFor();
      await page.locator('[data-iteration="2000"]').waitFor();
      await page.getByRole("button", { name: "← Previous" }).first().click();
      await page.locator('[data-iteration="1961"]').waitFor();
    },
  ],
  [
    "sample: an update whose request failed is repeated while the trajectory is read",
    async ({ page, show }) => {
      const requests = { attempt: 0, iterations: 0 };
      await page.route(/\/api\/(attempt|iterations)\?/, async (route) => {
        const [, name] = /\/api\/(\w+)/.exec(route.request().url());
        requests[name] += 1;
        if (requests[name] === 2) return route.abort();
        if (name === "iterations" || requests[name] > 2) return route.continue();
        const answer = await (await route.fetch()).json();
        return route.fulfill({ json: { ...answer, progress: { ...answer.progress, whole: false } } });
      });
      // The browser itself logs the failed requests.
      page.removeAllListeners("console");
      await show(page, tree);
      // The first update lacks the attempt, and the second lacks the iterations.
      await eventually(() => assert.deepEqual(requests, { attempt: 4, iterations: 3 }));
      await page.locator(".reading").waitFor({ state: "detached" });
      await page.unrouteAll();
    },
  ],
  [
    "sample: grids in color, the answer next to the expected one",
    async ({ page, show }) => {
      await show(page, "#/run/arc-20261121-070000-0001/arc-one/1");
      const grids = page.locator("svg.grid");
      assert.deepEqual(await grids.evaluateAll((all) => all.map((one) => one.getAttribute("aria-label"))), ["answered: a grid of 3 rows and 4 columns, 2 cells differ", "expected: a grid of 3 rows and 4 columns"]);
      assert.equal(await grids.nth(1).locator(".colour-2").evaluate((cell) => getComputedStyle(cell).fill), "rgb(255, 65, 54)");
      const [left, right] = [await grids.nth(0).boundingBox(), await grids.nth(1).boundingBox()];
      assert.ok(left.y === right.y && left.x < right.x);
      await page.keyboard.press("]");
      await page.getByRole("heading", { name: "arc-three" }).waitFor();
      await page.keyboard.press("[");
      await page.getByRole("heading", { name: "arc-one" }).waitFor();
    },
  ],
];
