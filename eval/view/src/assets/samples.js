// The samples of a run as a table: searched, filtered, sorted, in pages.

import { ask, embedded } from "./api.js";
import { chipGroup, el, problem } from "./dom.js";
import { amount, count, dollars, seconds } from "./format.js";
import { scoreMark, statusBadge } from "./badges.js";
import { filterHelp } from "./filter-help.js";
import { attemptAddress, listOf } from "./route.js";
import { clipId, pager, table } from "./table.js";

/** Rows per page. An exported page contains all pages of this size. */
export const samplePage = 100;

const filters = [["", "All"], ["wrong", "Wrong"], ["errors", "Errors"], ["limit", "Limit"], ["delegated", "Delegated"]];

/**
 * Creates the table of a run. `state` holds filter, search, sort, descending and offset;
 * `changed(state)` stores it.
 */
export function sampleTable(run, state, changed) {
  const rows = el("div");
  const status = el("p", { class: "quiet matching", role: "status" });
  let latestLoad = 0;

  async function load() {
    latestLoad += 1;
    const thisLoad = latestLoad;
    const asked = { run, filter: state.filter, search: state.search, sort: state.sort, descending: state.descending ? "1" : "", offset: state.offset, limit: samplePage };
    try {
      const page = await ask("samples", asked);
      // Ignore an answer that arrives after the answer to a later request.
      if (thisLoad === latestLoad) show(page);
    } catch (error) {
      if (thisLoad === latestLoad) rows.replaceChildren(problem(error.message));
    }
  }

  function show(page) {
    const focused = document.activeElement?.closest?.("a.row")?.getAttribute("href");
    const order = { key: state.sort || "id", descending: state.descending };
    const filtered = state.filter || state.search;
    status.textContent = filtered ? `${count(page.matching)} of ${count(page.total)} match` : "";
    const attempts = page.rows.some((row) => row.attempt > 1);
    const possible = columns(run, attempts, page.rows, listOf(listed(state)));
    const all = embedded ? possible.map((column) => ({ ...column, sortable: false })) : possible;
    const drawn = table({ columns: all, rows: page.rows, order, sorted: (to) => set({ sort: to.key, descending: to.descending, offset: 0 }), caption: "Samples of the run", rowClass: (row) => (row.score !== null && row.score < 1 ? "is-wrong" : "") });
    const nothing = page.rows.length ? null : el("p", { class: "quiet" }, page.total ? "No sample matches." : "No sample has ended yet.");
    const turn = pager({ offset: page.offset, shown: page.rows.length, total: page.matching, page: samplePage, go: turnTo, word: "samples" });
    rows.replaceChildren(...[page.rows.length ? drawn : nothing, turn].filter(Boolean));
    if (focused) [...rows.querySelectorAll("a.row")].find((link) => link.getAttribute("href") === focused)?.focus({ preventScroll: true });
  }

  async function set(to) {
    Object.assign(state, to);
    changed(state);
    drawFilters();
    await load();
  }

  async function turnTo(offset, last = false) {
    await set({ offset });
    const links = rows.querySelectorAll("a.row");
    links[last ? links.length - 1 : 0]?.focus();
  }

  const search = el("input", { type: "search", placeholder: "Search, or score<1 status:limit time>60s", "aria-label": "Search samples", value: state.search ?? "" });
  let waiting;
  search.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => set({ search: search.value, offset: 0 }), 120);
  });
  const chips = chipGroup("Filter", filters, (name) => set({ filter: name, offset: 0 }));
  const drawFilters = () => chips.press((name) => name === (state.filter ?? ""));
  drawFilters();
  // An exported page contains only the unfiltered list in its default order.
  const tools = embedded ? null : el("div", { class: "tools" }, chips.element, search, status, filterHelp());
  const element = el("section", { class: "samples", "aria-label": "Samples" }, el("h2", null, "Samples"), tools, rows);
  const past = (by) => {
    const button = rows.querySelector(`.pager button:${by > 0 ? "last-of-type" : "first-of-type"}`);
    if (button && !button.disabled) turnTo(state.offset + by * samplePage, by < 0);
  };
  /** Shows the attempts that match an expression. */
  async function searchFor(expression) {
    search.value = expression;
    await set({ search: expression, filter: "", offset: 0 });
    element.scrollIntoView({ block: "start" });
    search.focus({ preventScroll: true });
  }
  return { element, load, searchFor, focusSearch: () => search.focus(), past, filter: (name) => set({ filter: name, offset: 0 }) };
}

/** Returns the parameters of an address that describe the list. */
export const listed = ({ filter, search, sort, descending }) => ({ filter, search, sort, descending: descending ? "1" : "" });

function columns(run, attempts, rows, list) {
  const known = (field) => rows.some((row) => row[field] !== null && row[field] !== 0);
  return [
    { key: "id", label: "Sample", kind: "id", cell: (row) => el("a", { class: "row", href: attemptAddress(run, row.id, row.attempt, { list }), title: row.id }, clipId(row.id), attempts ? el("span", { class: "attempt" }, ` #${row.attempt}`) : null) },
    { key: "score", label: "Score", kind: "centre", cell: (row) => scoreMark(row.score) },
    { key: "status", label: "Status", cell: (row) => statusBadge(row.status) },
    { key: "answer", label: "Answer", kind: "text", sortable: false, cell: (row) => el("span", { class: row.error && row.answer === null ? "clip error-text" : "clip", title: row.answer ?? row.error ?? "" }, row.answer ?? row.error ?? "–") },
    { key: "expected", label: "Expected", kind: "text", secondary: true, sortable: false, cell: (row) => el("span", { class: "clip", title: row.expected }, row.expected) },
    { key: "iterations", label: "Iterations", numeric: true, secondary: true, highFirst: true, cell: (row) => count(row.iterations) },
    known("agents") && { key: "agents", label: "Agents", numeric: true, secondary: true, highFirst: true, cell: (row) => count(row.agents) },
    known("tokens") && { key: "tokens", label: "Tokens", numeric: true, secondary: true, highFirst: true, cell: (row) => amount(row.tokens) },
    known("cost_usd") && { key: "cost", label: "Cost", numeric: true, secondary: true, highFirst: true, cell: (row) => dollars(row.cost_usd) },
    { key: "time", label: "Time", numeric: true, highFirst: true, cell: (row) => seconds(row.time_s) },
  ].filter(Boolean);
}
