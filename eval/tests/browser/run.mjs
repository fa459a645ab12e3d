// Runs the cases in a browser against a viewer that serves the folder that `fixture.mjs` wrote.
//
//   node run.mjs ADDRESS FOLDER [NAME]     cases whose name contains NAME; SHOTS=DIR keeps a screenshot of each page, EVAL_TEST_BROWSER=PATH names the browser

import { readdirSync } from "node:fs";
import { chromium } from "playwright-core";

const [address, folder, wanted = ""] = process.argv.slice(2);

// Chromium's sandbox does not work for root, as which containers run. The pages are trusted.
const browser = await chromium.launch({ executablePath: process.env.EVAL_TEST_BROWSER ?? "/usr/bin/chromium", args: ["--no-sandbox"] });

const EVENTS = ["pageerror", "console", "request", "response", "dialog"];

/** Opens a new page. Any request to another host and any error in the page fail the case. */
export async function openPage({ width = 1280, scheme = "light", permissions = [] } = {}) {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: scheme, permissions });
  const page = await context.newPage();
  return { page, context, faults: watch(page) };
}

/** Returns a list to which the faults of a page are added from now on. */
function watch(page) {
  for (const event of EVENTS) page.removeAllListeners(event);
  const faults = [];
  page.on("pageerror", (error) => faults.push(`an error in the page: ${error.message}`));
  page.on("console", (message) => message.type() === "error" && faults.push(`the console: ${message.text()}`));
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (!["data:", "file:"].includes(url.protocol) && url.origin !== new URL(address).origin) faults.push(`a request to ${url.origin}`);
  });
  page.on("dialog", (dialog) => faults.push(`a dialog: ${dialog.message()}`) && dialog.dismiss());
  return faults;
}

/** Pages of earlier cases, by the options that they were opened with. A new page would cost a second of CPU time. */
const idle = new Map();

/** Opens the page of a case: an empty page that has no state of an earlier case. */
async function takePage(options) {
  const key = JSON.stringify(options ?? {});
  const opened = idle.get(key);
  idle.delete(key);
  return opened ? { ...opened, faults: watch(opened.page) } : { ...(await openPage(options)), key };
}

/** Removes a case's state from its page and keeps the page, or closes it if it shows something else than the viewer. */
async function putBack({ page, context, key }) {
  const isViewer = context.pages().length === 1 && page.url().startsWith(new URL(address).origin);
  if (!isViewer) return context.close();
  await page.evaluate(() => (localStorage.clear(), sessionStorage.clear()));
  await context.clearCookies();
  await page.goto("about:blank");
  idle.set(key, { page, context, key });
}

/** Opens a view and waits until it is shown. */
export async function show(page, hash = "") {
  await page.goto("about:blank");
  await page.goto(`${address}${hash}`);
  await shown(page);
}

/** Waits until the first view is shown. */
export const shown = (page) => page.waitForFunction(() => performance.getEntriesByName("shown").length > 0);

const tools = { address, folder, openPage, show, shown, browser };
let failed = 0;
let passed = 0;
for (const file of readdirSync(new URL("cases/", import.meta.url)).sort()) {
  const { default: cases } = await import(`./cases/${file}`);
  for (const [name, run, options] of cases) {
    if (!name.includes(wanted)) continue;
    const began = performance.now();
    const opened = await takePage(options);
    const { page, faults, context } = opened;
    page.setDefaultTimeout(60_000);
    try {
      await run({ page, context, ...tools });
      if (faults.length) throw new Error(faults.join("\n"));
      await putBack(opened);
      passed += 1;
      console.log(`ok      ${name} (${Math.round(performance.now() - began)} ms)`);
    } catch (error) {
      failed += 1;
      console.log(`FAILED  ${name}\n${error.stack}\n${faults.join("\n")}`);
      if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/failed-${failed}.png` }).catch(() => {});
      await context.close();
    }
  }
}
await browser.close();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed || !passed ? 1 : 0);
