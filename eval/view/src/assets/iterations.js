// The iterations of an agent in pages. On updates, only what has changed is drawn again.

import { ask, embedded } from "./api.js";
import { el, problem } from "./dom.js";
import { count } from "./format.js";
import { drawIteration, foldIteration } from "./iteration.js";
import { pager } from "./table.js";

/** Iterations per page. An exported page contains all pages of this size. */
export const iterationPage = 20;

/**
 * Creates the list for an agent. `where` holds run, sample and attempt; `hashOf(agent, iteration)`
 * returns addresses; `start` is the first iteration to show. Returns `{ element, refresh, goTo, …
 * }`.
 */
export function iterationList(where, agent, { hashOf, agentOf, start, flat, codeless, moved, whenDrawn = () => {} }) {
  const element = el("div", { class: "iterations" });
  const pageOf = (number) => Math.floor((number - 1) / iterationPage) * iterationPage;
  let offset = start > 0 ? pageOf(start) : 0;
  /** The first page to show, until it exists. */
  let wanted = offset;

  const options = (number) => ({ where, hash: hashOf(agent, number), agentHash: (id) => hashOf(id), agentOf, flat, codeless });

  const ofPage = (from = offset) => ask("iterations", { ...where, agent, offset: from, limit: iterationPage });

  /** Reads the page at the offset. It has no rows if it does not exist. */
  async function readPage() {
    try {
      return await ofPage();
    } catch (error) {
      if (!embedded || !offset) throw error;
      // An exported page contains only pages that exist. Each states the total.
      return { ...(await ofPage(0)), rows: [] };
    }
  }

  /** Updates the page, and fails if it cannot be read. */
  async function refresh() {
    offset = wanted ?? offset;
    let found = await readPage();
    if (found.rows.length) wanted = null;
    else if (found.total) {
      // The wanted iteration does not exist, or has not been read yet.
      offset = pageOf(found.total);
      found = await ofPage();
    }
    show(found);
  }

  async function load() {
    try {
      await refresh();
    } catch (error) {
      element.replaceChildren(problem(error.message));
    }
  }

  function show({ rows, total }) {
    const drawn = new Map([...element.querySelectorAll("article")].map((one) => [one.dataset.iteration, one]));
    const articles = rows.map((row) => {
      const before = drawn.get(String(row.number));
      const same = before && before.dataset.events === String(row.events.length);
      return same ? before : drawIteration(row, options(row.number));
    });
    const turn = () => pager({ offset, shown: rows.length, total, page: iterationPage, go, word: "iterations" });
    const top = turn();
    if (top) top.append(jump(total));
    const nothing = rows.length ? null : el("p", { class: "quiet" }, "No iterations yet.");
    element.replaceChildren(...[top, ...articles, nothing, rows.length > 3 ? turn() : null].filter(Boolean));
    whenDrawn();
  }

  async function go(to, focus = to + 1) {
    offset = to;
    wanted = null;
    element.replaceChildren();
    await load();
    moved(focus);
    focusOn(focus);
  }

  function jump(total) {
    const field = el("input", { type: "number", min: 1, max: total, placeholder: `1–${count(total)}`, "aria-label": "Go to iteration" });
    field.addEventListener("keydown", (event) => {
      const number = Number(field.value);
      if (event.key === "Enter" && number >= 1 && number <= total) goTo(number);
    });
    return el("label", { class: "jump" }, "Go to ", field);
  }

  async function goTo(number) {
    const to = pageOf(number);
    if (to !== offset || !element.children.length) await go(to, number);
    else focusOn(number);
  }

  function focusOn(number) {
    const article = element.querySelector(`[data-iteration="${Number(number)}"]`);
    if (!article) return;
    foldIteration(article, false);
    article.focus({ preventScroll: true });
    article.scrollIntoView({ block: "start" });
  }

  /** Moves by a number of iterations from the focused or topmost one. */
  async function step(by) {
    const articles = [...element.querySelectorAll("article")];
    const focused = document.activeElement?.closest("article");
    const top = articles.findIndex((one) => one.getBoundingClientRect().bottom > 80);
    const at = focused ? articles.indexOf(focused) : top - (by > 0 ? 1 : 0);
    const to = articles[at + by];
    if (to) {
      moved(Number(to.dataset.iteration));
      focusOn(Number(to.dataset.iteration));
      return;
    }
    const page = await ofPage();
    if (by > 0 && offset + page.rows.length < page.total) await go(offset + iterationPage);
    if (by < 0 && offset > 0) await go(offset - iterationPage, offset);
  }

  /** Returns the number of the focused or topmost iteration. */
  function current() {
    const articles = [...element.querySelectorAll("article")];
    const one = document.activeElement?.closest("article") ?? articles.find((article) => article.getBoundingClientRect().bottom > 120);
    return Number(one?.dataset.iteration ?? 0);
  }

  /** Collapses all shown iterations, or expands them if all are collapsed. */
  function foldAll() {
    const articles = [...element.querySelectorAll("article")];
    const folded = articles.some((one) => !one.classList.contains("folded"));
    for (const one of articles) foldIteration(one, folded);
  }

  return { element, load, refresh, goTo, step, focusOn, current, foldAll };
}
