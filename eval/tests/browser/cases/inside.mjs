// Parts of a sample: outline, errors, answers of children, prose, colors, copying, folding, cost and time.

import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { eventually } from "../eventually.mjs";
import { eventsOf, hostileTexts, trajectoryFile, writeRun } from "../fixture.mjs";
import { unharmed } from "./safe.mjs";

const tree = "#/run/tree-20261121-080000-0001/tree/1";
const focuses = (page, iteration) => page.waitForFunction((wanted) => document.activeElement.dataset.iteration === wanted, iteration);

export default [
  [
    "inside: the outline marks errors, children and returns, and follows",
    async ({ page, show }) => {
      await show(page, tree);
      const links = page.locator(".outline a");
      await links.first().waitFor();
      assert.deepEqual(await links.allInnerTexts().then((all) => all.map((one) => one.replace(/\s+/g, " ").trim())), ["1 ✗ ↳✗ ↳4 1 error, 1 call of children failed, 4 children", "2 ↩ returned"]);
      await links.nth(1).click();
      await focuses(page, "2");
      await page.waitForFunction(() => document.querySelector('.outline a[aria-current]')?.dataset.turn === "2");
    },
  ],
  [
    "inside: e goes to the next error, also in the agents below",
    async ({ page, show }) => {
      await show(page, tree);
      await page.locator(".outline a").first().waitFor();
      await page.keyboard.press("e");
      await focuses(page, "1");
      await page.keyboard.press("e");
      await page.getByRole("heading", { name: "d1-c3" }).waitFor();
    },
  ],
  [
    "inside: the tree and the calls show question and answer of each child, and mark expected answers",
    async ({ page, show }) => {
      await show(page, tree);
      const rows = await page.locator("a.agent .said").allInnerTexts();
      assert.equal(rows[1].replace(/\s+/g, " "), "Find it in the part of d1-c0 → 42 = expected");
      assert.equal(rows[2].replace(/\s+/g, " "), "Find it in the part of d1-c1 → 41");
      const calls = await page.locator("article").first().locator(".children .said").allInnerTexts();
      assert.deepEqual(calls.map((call) => / = expected|expected/.test(call)), [true, false, false, false]);
    },
  ],
  [
    "inside: Markdown and its source, terminal colors, copying and folding; hostile texts stay texts",
    async ({ page, show, folder }) => {
      const run = "prose-20261121-170000-0001";
      const dir = writeRun(folder, run, { records: [{ id: "p", iterations: 1 }] });
      const event = eventsOf(run, "p");
      const text = `# Plan\n\n1. **Look** at \`context\`\n   - deeper\n2. Return\n\n> quoted\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n${hostileTexts.join("\n\n")}\n\n[a link](https://example.org/) ![image](https://example.org/x.png)`;
      const output = "\u001b[31mred\u001b[0m plain \u001b[1;32mbold\u001b[0m\u001b[2J\u001b[38;5;4mblue";
      const kinds = [{ type: "invocation_start", role: "root", query: "Q", model: "m", max_iterations: 5, system_prompt: null }, { type: "iteration_start", iteration: 1 }, { type: "llm_response", text, reasoning: null, usage: null, ms: 1 }, { type: "iteration_end", iteration: 1, code: "", output, error: null, returned: null, intercepted: false, executed_ms: 1, dropped_blocks: 0 }];
      writeFileSync(trajectoryFile(dir, "p"), kinds.map((kind, at) => `${JSON.stringify(event(at, "root", kind))}\n`).join(""));
      try {
        await show(page, `#/run/${run}/p/1`);
        const prose = page.locator(".markdown");
        assert.equal(await prose.locator(".heading").innerText(), "Plan");
        assert.deepEqual(await prose.locator("ol > li").allInnerTexts().then((all) => all.map((one) => one.split("\n")[0])), ["Look at context", "Return"]);
        assert.equal(await prose.locator("ol ul li").innerText(), "deeper");
        assert.equal(await prose.locator("td").first().innerText(), "1");
        assert.match(await prose.innerText(), /a link \(https:\/\/example\.org\/\) image \(https:\/\/example\.org\/x\.png\)/);
        await unharmed(page);
        await page.keyboard.press("m");
        await eventually(async () => assert.match(await page.locator(".prose").innerText(), /^# Plan\n\n1\. \*\*Look\*\*/));
        await page.keyboard.press("m");
        const printed = page.locator("pre.output");
        assert.equal(await printed.innerText(), "red plain boldblue");
        assert.deepEqual(await printed.locator("span").evaluateAll((all) => all.map((one) => [one.className, one.textContent])), [["ansi-red", "red"], ["ansi-green ansi-bold", "bold"], ["ansi-blue", "blue"]]);
        await page.locator(".long-text", { has: printed }).hover();
        await page.locator(".long-text", { has: printed }).locator(".copy-text").click();
        await eventually(async () => assert.equal(await page.evaluate(() => navigator.clipboard.readText()), output));
        await page.keyboard.press("f");
        await printed.waitFor({ state: "hidden" });
        await page.keyboard.press("f");
        await printed.waitFor();
        await page.locator("summary", { hasText: "Output" }).click();
        await printed.waitFor({ state: "hidden" });
      } finally {
        rmSync(dir, { recursive: true });
      }
    },
    { permissions: ["clipboard-read", "clipboard-write"] },
  ],
  [
    "inside: of the code blocks in a response, only those that did not run are marked, and each is shown once",
    async ({ page, show, folder }) => {
      const run = "blocks-20261121-170000-0001";
      /** Response, code that ran, code of the blocks that did not run, and sometimes the prose. */
      const rows = [
        ["```js\nlog(1)\n```\n\n```js\nlog(2)\n```\n\n```js\nlog(3)\n```", ["log(1)", "log(2)"], ["log(3)"]],
        ["None.\n\n```js\n```\n\nText.\n\n```js\nlog(1)\n```\n\nEnd.", ["log(1)"], [""]],
        ["```js\nlog(1)\n`````\n\nText.", ["log(1)"], []],
        ["1. Step\n\n   ```js\n   log(1)\n   ```", ["   log(1)"], []],
        ["```js\nlog(1)\nlog(2)\n```\n\n```js\nlog(2)\n```", ["log(1)\nlog(2)"], ["log(2)"]],
        ["```js\nlog(`\n```\n`)\n```\n\nText.", ["log(`\n```\n`)"], []],
        ["```js\r\nlog(1)\r\nlog(2)\r\n```\r\n", ["log(1)\r\nlog(2)"], []],
        ["```text\nlog(1)\n```\n\n```js\nlog(1)```", ["log(1)"], ["log(1)"]],
        ["Inline ```js\nlog(1)\n``` more", ["log(1)"], [], ["Inline", "more"]],
        ["Inline ```js\nlog(1)\n```\n\n```text\nlog(1)\n```", ["log(1)"], ["log(1)"]],
        ["> ```js\n> log(1)\n> ```\n\nText.", ["> log(1)\n>"], [], ["Text."]],
      ];
      const dir = writeRun(folder, run, { records: rows.map((_, place) => ({ id: `b-${place}`, iterations: 1 })) });
      rows.forEach(([text, codes, left], place) => {
        const event = eventsOf(run, `b-${place}`);
        const ends = codes.map((code, at) => ({ type: "iteration_end", iteration: 1, code, output: `printed ${at + 1}`, error: null, returned: null, intercepted: false, executed_ms: 1, dropped_blocks: left.length }));
        const kinds = [{ type: "invocation_start", role: "root", query: "Q", model: "m", max_iterations: 5, system_prompt: null }, { type: "iteration_start", iteration: 1 }, { type: "llm_response", text, reasoning: null, usage: null, ms: 1 }, ...ends];
        writeFileSync(trajectoryFile(dir, `b-${place}`), kinds.map((kind, at) => `${JSON.stringify(event(at, "root", kind))}\n`).join(""));
      });
      try {
        for (const [place, [text, codes, left, prose]] of rows.entries()) {
          await show(page, `#/run/${run}/b-${place}/1`);
          const shown = await page.locator(".response .long-text").evaluateAll((all) => all.map((one) => [one.querySelector("pre").textContent.trim(), one.querySelector(".note") !== null]));
          const marked = (isMarked) => shown.filter(([, mark]) => mark === isMarked).map(([code]) => code);
          const plain = (code) => code.replaceAll("\r", "").trim();
          assert.deepEqual(marked(false).map(plain), codes.map(plain), text);
          assert.deepEqual(marked(true), left, text);
          if (prose) assert.deepEqual(await page.locator(".response .markdown").allInnerTexts(), prose);
          assert.deepEqual(await page.locator("pre.output").allInnerTexts(), codes.map((_, at) => `printed ${at + 1}`));
          assert.equal(await page.getByText("1 more block did not run.").count(), left.length);
        }
      } finally {
        rmSync(dir, { recursive: true });
      }
    },
  ],
  [
    "inside: nothing says that code did not run while it is running",
    async ({ page, show, folder }) => {
      const run = "running-20261121-170000-0001";
      const code = "await rlm('q')";
      const call = { text: "", tool_calls: [{ id: "c1", name: "run_code", arguments: JSON.stringify({ code }) }] };
      const responses = [{ text: `\`\`\`js\n${code}\n\`\`\`` }, { text: `\`\`\`\n${code}\n\`\`\`` }, call];
      const dir = writeRun(folder, run, { records: responses.map((_, place) => ({ id: `r-${place}`, iterations: 1 })) });
      responses.forEach((response, place) => {
        const event = eventsOf(run, `r-${place}`);
        const kinds = [{ type: "invocation_start", role: "root", query: "Q", model: "m", max_iterations: 5, system_prompt: null }, { type: "iteration_start", iteration: 1 }, { type: "llm_response", reasoning: null, usage: null, ms: 1, ...response }, { type: "delegation_spawn", child: "d1-c0", role: "child" }];
        writeFileSync(trajectoryFile(dir, `r-${place}`), kinds.map((kind, at) => `${JSON.stringify(event(at, "root", kind))}\n`).join(""));
      });
      try {
        for (const [place, response] of responses.entries()) {
          await show(page, `#/run/${run}/r-${place}/1`);
          const iteration = page.locator("article").first();
          await iteration.getByText("The code is still running, or its end was not recorded.").waitFor();
          const shown = await iteration.innerText();
          assert.ok(shown.includes(code), shown);
          assert.doesNotMatch(shown, /not run|not executed/, JSON.stringify(response));
        }
      } finally {
        rmSync(dir, { recursive: true });
      }
    },
  ],
  [
    "inside: a flame graph by agent and iteration, and the tokens of each turn",
    async ({ page, show }) => {
      await show(page, tree);
      await page.locator(".spending > summary").click();
      const bars = page.locator(".flame .bar");
      await bars.first().waitFor();
      const root = await bars.first().boundingBox();
      const width = async (title) => (await page.locator(`.flame .bar[title^="${title}"]`).boundingBox()).width / root.width;
      // The root made two of the six requests, and its first iteration includes those of its children.
      assert.ok(Math.abs((await width("root, iteration 2:")) - 1 / 6) < 0.01);
      assert.ok(Math.abs((await width("root, iteration 1:")) - 5 / 6) < 0.01);
      assert.ok(Math.abs((await width("d1-c1:")) - 2 / 6) < 0.01);
      assert.match(await page.locator(".turn-tokens").innerText(), /2,400 in, of which 0 cached \(0 %\); 160 out\./);
      await page.getByRole("button", { name: "Time", exact: true }).click();
      await page.getByText("2.4 s in all.").or(page.getByText("s in all.")).first().waitFor();
      await bars.filter({ hasText: "d1-c1" }).click();
      await page.getByRole("heading", { name: "d1-c1", exact: true }).waitFor();
    },
  ],
  [
    "inside: arrows scroll the focused text, and Escape returns to its iteration",
    async ({ page, show }) => {
      await show(page, `${tree}?iteration=1`);
      await page.locator("article pre.code").first().focus();
      await page.keyboard.press("ArrowDown");
      assert.equal(await page.evaluate(() => document.activeElement.tagName), "PRE");
      await page.keyboard.press("Escape");
      await focuses(page, "1");
      await eventually(async () => assert.match(new URL(page.url()).hash, /tree\/1\?iteration=1$/));
      await page.locator("details.request > summary").first().focus();
      await page.keyboard.press("Escape");
      await eventually(async () => assert.match(new URL(page.url()).hash, /tree\/1\?iteration=1$/));
    },
  ],
];
