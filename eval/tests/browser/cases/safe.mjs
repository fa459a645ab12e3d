// Text from models is data: every page shows it as text, and nothing in it runs.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { hostileTexts } from "../fixture.mjs";

const run = encodeURIComponent("<img src=x onerror=window.pwned=10>");
const sample = encodeURIComponent("<script>window.pwned=11</script>/../..");

/** Checks that nothing ran, that no text became an element, and that links lead only within the page. */
export async function unharmed(page) {
  await page.waitForTimeout(200);
  const found = await page.evaluate(() => ({
    pwned: window.pwned ?? null,
    elements: [...document.querySelectorAll("main script, main style, iframe, object, embed, base, meta[http-equiv=refresh], main [onerror], main [onload], main [onclick], svg[onload]")].map((one) => one.outerHTML),
    links: [...document.querySelectorAll("a")].map((one) => one.getAttribute("href")).filter((href) => href !== null && !href.startsWith("#")),
    images: [...document.querySelectorAll("img")].map((one) => one.src).filter((src) => !src.startsWith("data:image/png;base64,")),
  }));
  assert.deepEqual(found, { pwned: null, elements: [], links: [], images: [] });
}

/** Checks that characters which change the text direction show their codes and do not affect the text after them. */
async function staysInOrder(page) {
  const mark = page.locator("article .reasoning .control").first();
  assert.equal(await mark.evaluate((one) => getComputedStyle(one, "::before").content), '"U+202E"');
  const { before, after, letters } = await page.locator("article .reasoning").first().evaluate((block) => {
    const mark = block.querySelector(".control");
    const place = (node, from) => {
      const range = document.createRange();
      range.setStart(node, from);
      range.setEnd(node, from + 1);
      return range.getBoundingClientRect().left;
    };
    const text = mark.nextSibling;
    return { before: mark.getBoundingClientRect().left, after: place(text, 0), letters: [0, 1, 2].map((at) => place(text, at)) };
  });
  assert.ok(after > before && letters[0] < letters[1] && letters[1] < letters[2], JSON.stringify({ before, after, letters }));
}

/** Presses every control of a page, except links, which lead away from it. */
async function pressAll(page) {
  // Controls that fold come last, because folding hides the others.
  const folds = "main .fold, main details.block > summary";
  const others = "main summary, main button:not([disabled])";
  for (const one of [...(await page.locator(others).and(page.locator(`:not(${folds})`)).all()), ...(await page.locator(folds).all())]) await one.click({ timeout: 500 }).catch(() => {});
}

const pages = { runs: "", run: `#/run/${run}`, sample: `#/run/${run}/${sample}/1`, child: `#/run/${run}/${sample}/1?agent=${encodeURIComponent("d1-c0\"><script>window.pwned=13</script>")}`, compare: `#/compare/${run}/arc-20261121-070000-0001` };

export default [
  ...Object.entries(pages).map(([name, hash]) => [
    `safe: hostile texts on the page ${name}`,
    async ({ page, show }) => {
      await show(page, hash);
      await unharmed(page);
      if (name === "sample") {
        const text = await page.locator("main").innerText();
        // Control characters and line separators do not have a glyph to search for.
        for (const one of hostileTexts.filter((one) => !one.includes("\u2028"))) assert.ok(text.includes(one), one);
        await staysInOrder(page);
      }
      await pressAll(page);
      await unharmed(page);
    },
  ]),
  [
    "safe: hostile ids and paths in the address",
    async ({ page, show }) => {
      page.removeAllListeners("console");
      for (const hash of ["#/run/..", "#/run/%2e%2e%2f%2e%2e%2fetc", "#/run/tree-20261121-080000-0001/..%2f..%2f..%2fetc%2fpasswd/1", "#/<script>window.pwned=1</script>", "#/run/%3Cscript%3Ewindow.pwned=1%3C%2Fscript%3E", "#/compare/%00/x"]) {
        await show(page, hash);
        await page.locator(".problem").waitFor();
        await unharmed(page);
      }
    },
  ],
  [
    "safe: the policy blocks all scripts but the page's own",
    async ({ page, show, address }) => {
      page.removeAllListeners("console");
      await show(page, "");
      const policy = (await page.request.get(address)).headers()["content-security-policy"];
      assert.match(policy, /default-src 'none'; script-src 'sha256-[A-Za-z0-9+\/]{43}='; style-src 'sha256-[A-Za-z0-9+\/]{43}=';/);
      assert.doesNotMatch(policy, /unsafe/);
      await page.evaluate(() => {
        document.body.append(Object.assign(document.createElement("script"), { textContent: "window.pwned = 20" }));
        document.body.insertAdjacentHTML("beforeend", "<img src=x onerror='window.pwned = 21'><a id=out href='javascript:window.pwned=22'>x</a>");
        document.getElementById("out").click();
      });
      await page.waitForTimeout(200);
      assert.equal(await page.evaluate(() => window.pwned ?? null), null);
    },
  ],
  [
    "safe: a page of another site gets nothing",
    async ({ page, address }) => {
      page.removeAllListeners("console");
      page.removeAllListeners("request");
      const other = createServer((_, response) => response.setHeader("content-type", "text/html").end("<p>other</p>")).listen(0, "127.0.0.1");
      await once(other, "listening");
      const { port } = other.address();
      await page.goto(`http://127.0.0.1:${port}/`);
      // This even holds for a site that knows the token.
      const token = new URL(address).search;
      const got = await page.evaluate(async ({ origin, token }) => {
        const read = await fetch(`${origin}/api/runs${token}`).then((response) => response.text(), () => "refused");
        const blind = await fetch(`${origin}/api/runs${token}`, { mode: "no-cors" }).then((response) => response.type, () => "refused");
        const script = await new Promise((done) => document.body.append(Object.assign(document.createElement("script"), { src: `${origin}/api/runs${token}`, onload: () => done("loaded"), onerror: () => done("refused") })));
        return { read, blind, script };
      }, { origin: new URL(address).origin, token });
      other.closeAllConnections();
      other.close();
      assert.deepEqual({ ...got, blind: "" }, { read: "refused", blind: "", script: "refused" });
    },
  ],
];
