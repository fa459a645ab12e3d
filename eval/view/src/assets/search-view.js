// Full-text search: texts of trajectories that contain all words, each with a link to its location.

import { ask, embedded } from "./api.js";
import { chipGroup, el, problem } from "./dom.js";
import { bytes, count, plural } from "./format.js";
import { filterHelp } from "./filter-help.js";
import { moveFocus } from "./keys.js";
import { address, attemptAddress, backTo, backToRuns, replaceAddress, runAddress } from "./route.js";
import { pager } from "./table.js";

const kinds = [["code", "Code"], ["output", "Outputs"], ["error", "Errors"], ["message", "Messages"], ["answer", "Answers"], ["prompt", "Prompts"]];

/** Hits per page. */
const page = 50;

/** Returns the address of a search, in one run or in all. */
export const searchAddress = (parameters = {}) => address("search", [], parameters);

/** Draws the view and returns its keys and a function that stops it. */
export async function searchView(place, { parameters }) {
  if (embedded) throw new Error("An exported page cannot be searched.");
  const state = { q: parameters.get("q") ?? "", run: parameters.get("run") ?? "", in: parameters.get("in") ?? "", offset: Number(parameters.get("offset")) || 0 };
  let latestLoad = 0;
  let stopped = false;
  let timer;

  const field = el("input", { type: "search", placeholder: "Words, \"a phrase\", score<1 status:limit", "aria-label": "Search everything", value: state.q });
  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => set({ q: field.value, offset: 0 }), 150);
  });
  const on = () => state.in.split(",").filter(Boolean);
  const chips = chipGroup("Kinds of texts", kinds, (name) => set({ in: kinds.map(([one]) => one).filter((one) => (one === name) !== on().includes(one)).join(","), offset: 0 }));
  const status = el("p", { class: "quiet matching", role: "status" });
  const progress = el("p", { class: "quiet", role: "status" });
  const hits = el("div");

  const drawChips = () => chips.press((name) => on().includes(name));

  function set(to) {
    Object.assign(state, to);
    replaceAddress(searchAddress({ ...state, offset: state.offset || "" }));
    drawChips();
    everywhere.setAttribute("href", searchAddress({ q: state.q, in: state.in }));
    return load();
  }

  async function load() {
    latestLoad += 1;
    const thisLoad = latestLoad;
    clearTimeout(timer);
    try {
      const answer = await ask("search", { ...state, limit: page });
      if (thisLoad !== latestLoad || stopped) return;
      show(answer);
      // Texts indexed in the meantime can be found already.
      if (answer.index.running) timer = setTimeout(load, 500);
    } catch (error) {
      if (thisLoad === latestLoad) hits.replaceChildren(problem(error.message));
    }
  }

  function show({ hits: rows, total, more, offset, index }) {
    progress.textContent = index.problem ? "" : index.running && index.indexed_bytes < index.bytes ? `Indexing: ${bytes(index.indexed_bytes)} of ${bytes(index.bytes)}. Only indexed texts are searched.` : "";
    status.textContent = !state.q.trim() ? "" : rows.length || !more ? `${more ? "at least " : ""}${plural(total, "text")}` : "None found yet, because there was no time to read all candidates. Add a rarer word.";
    const focused = document.activeElement?.closest?.("a.row")?.getAttribute("href");
    const list = el("ul", { class: "hits" }, ...rows.map(hit));
    const turn = pager({ offset, shown: rows.length, total, page, go: (to) => set({ offset: to }), word: "texts" });
    hits.replaceChildren(...[index.problem ? problem(`The index is not available: ${index.problem}. It is stored next to the runs, so their folder must be writable.`) : null, rows.length ? list : null, turn].filter(Boolean));
    if (focused) [...hits.querySelectorAll("a.row")].find((link) => link.getAttribute("href") === focused)?.focus({ preventScroll: true });
  }

  function hit({ run, sample, attempt, agent, iteration, kind, parts }) {
    const where = [state.run ? null : run, agent, iteration ? `iteration ${iteration}` : null].filter(Boolean).join(" · ");
    const text = parts.map((part, at) => (at % 2 ? el("mark", null, part) : part));
    const href = attemptAddress(run, sample, attempt, { agent: agent === "root" ? "" : agent, iteration: iteration || "" });
    return el("li", { class: "hit" }, el("a", { class: "row", href }, el("bdi", null, sample), attempt > 1 ? ` #${attempt}` : ""), " ", el("span", { class: `badge ${kind === "error" ? "error" : ""}` }, kind), " ", el("span", { class: "quiet" }, where), el("p", { class: "hit-text" }, ...text));
  }

  const everywhere = el("a", { href: searchAddress({ q: state.q, in: state.in }) }, "search all runs");
  drawChips();
  const where = state.run ? el("p", { class: "quiet" }, "In ", el("a", { href: runAddress(state.run) }, state.run), " · ", everywhere) : null;
  place.replaceChildren(...[el("div", { class: "title" }, el("h1", null, "Search"), where), el("div", { class: "tools" }, field, chips.element, status, filterHelp()), progress, hits]);
  await load();
  setTimeout(() => !stopped && document.activeElement === document.body && field.focus());
  const back = runAddress(state.run);
  return {
    title: state.q ? `${state.q} · Search` : "Search",
    trail: [...(state.run ? [[state.run, backTo(back)]] : []), ["Search", null]],
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
    keys: [
      [["/"], "search", () => field.focus()],
      [["j", "ArrowDown"], "next text", () => moveFocus("a.row", 1)],
      [["k", "ArrowUp"], "previous text", () => moveFocus("a.row", -1)],
      [["u", "Escape"], state.run ? "back to the run" : "back to the runs", () => (location.hash = state.run ? backTo(back) : backToRuns())],
    ],
  };
}
