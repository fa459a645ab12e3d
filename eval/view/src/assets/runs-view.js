// All runs of the folder: sorted, filtered, ticked for a comparison.

import { ask, watch } from "./api.js";
import { el } from "./dom.js";
import { amount, count, dollars, moment, percent, seconds } from "./format.js";
import { progressBadge } from "./badges.js";
import { moveFocus } from "./keys.js";
import { estimateText, intervalOf, intervalPlot } from "./plots.js";
import { address, replaceAddress, runAddress } from "./route.js";
import { clipId, rowLinks, table } from "./table.js";

/** Draws the view, and gives its keys and what stops it. */
export async function runsView(place, { parameters }) {
  const state = { filter: parameters.get("filter") ?? "", sort: parameters.get("sort") ?? "started", descending: parameters.get("descending") !== "0" };
  let answer = await ask("runs");
  const ticked = new Set();

  const filter = el("input", { type: "search", placeholder: "Filter by benchmark, model, mode, driver", "aria-label": "Filter runs", value: state.filter });
  filter.addEventListener("input", () => {
    state.filter = filter.value;
    keep();
    show();
  });
  const compare = el("button", { type: "button", class: "primary", onclick: openComparison });
  const rows = el("div");

  function keep() {
    replaceAddress(address("runs", [], { filter: state.filter, sort: state.sort === "started" ? "" : state.sort, descending: state.descending ? "" : "0" }));
  }

  function openComparison() {
    // In the order of the table from below: the older run is the base.
    const ids = shownRuns().map((run) => run.id).filter((id) => ticked.has(id)).reverse();
    if (ids.length > 1) location.hash = address("compare", ids);
  }

  function shownRuns() {
    const words = state.filter.toLowerCase().split(/\s+/).filter(Boolean);
    const text = (run) => [run.id, run.run?.model, run.run?.benchmark, run.run?.protocol, run.run?.prompt_mode, run.run?.drivers, run.progress].join(" ").toLowerCase();
    const found = answer.runs.filter((run) => words.every((word) => text(run).includes(word)));
    const by = order[state.sort] ?? order.started;
    const turn = state.descending ? -1 : 1;
    return found.sort((a, b) => turn * compareValues(by(a), by(b)) || compareValues(a.id, b.id));
  }

  function show() {
    const focused = document.activeElement?.closest?.(rowLinks)?.getAttribute("href");
    const runs = shownRuns();
    const all = columns(ticked, showCompare, answer.runs);
    const drawn = table({
      columns: all,
      rows: runs,
      order: { key: state.sort, descending: state.descending },
      sorted: (to) => {
        Object.assign(state, { sort: to.key, descending: to.descending });
        keep();
        show();
      },
      caption: "Runs",
    });
    const nothing = el("p", { class: "quiet" }, answer.runs.length ? "No run matches." : "No runs here yet.");
    rows.replaceChildren(runs.length ? drawn : nothing);
    if (focused) [...rows.querySelectorAll(rowLinks)].find((link) => link.getAttribute("href") === focused)?.focus({ preventScroll: true });
    showCompare();
  }

  function showCompare() {
    compare.disabled = ticked.size < 2;
    compare.textContent = ticked.size < 2 ? "Tick two runs to compare" : `Compare ${ticked.size} runs`;
  }

  place.replaceChildren(
    el("div", { class: "title" }, el("h1", null, "Runs"), el("p", { class: "quiet path" }, answer.folder)),
    el("div", { class: "tools" }, filter, compare),
    rows,
  );
  show();
  const stop = watch({}, answer.stamp, async () => {
    answer = await ask("runs");
    show();
  });
  const tick = () => document.activeElement?.closest("tr")?.querySelector("input[type=checkbox]")?.click();
  return {
    title: "Runs",
    stop,
    keys: [
      [["j", "ArrowDown"], "next run", () => moveFocus(rowLinks, 1)],
      [["k", "ArrowUp"], "previous run", () => moveFocus(rowLinks, -1)],
      [["x"], "tick the run", tick],
      [["c"], "compare the ticked runs", openComparison],
      [["/"], "filter", () => filter.focus()],
    ],
  };
}

const order = {
  started: (run) => run.started_at ?? "",
  benchmark: (run) => run.run?.benchmark ?? "",
  mode: (run) => modeOf(run),
  model: (run) => run.run?.model ?? "",
  drivers: (run) => run.run?.drivers ?? "",
  score: (run) => run.summary?.score?.mean ?? -1,
  coverage: (run) => run.summary?.coverage ?? -1,
  cost: (run) => run.summary?.cost_usd ?? -1,
  tokens: (run) => tokensOf(run) ?? -1,
  time: (run) => run.summary?.per_attempt?.total_time_s ?? -1,
};

const compareValues = (a, b) => (typeof a === "number" ? a - b : a < b ? -1 : Number(a > b));

const modeOf = (run) => (run.run?.protocol === "rlm" ? (run.run.prompt_mode ?? "rlm") : (run.run?.protocol ?? ""));

const tokensOf = (run) => (run.summary?.usage ? run.summary.usage.input_tokens + run.summary.usage.output_tokens : null);

function columns(ticked, changed, runs) {
  const box = (run) => {
    const input = el("input", { type: "checkbox", "aria-label": `Compare ${run.id}`, disabled: Boolean(run.problem), checked: ticked.has(run.id) });
    input.addEventListener("change", () => {
      if (input.checked) ticked.add(run.id);
      else ticked.delete(run.id);
      changed();
    });
    return input;
  };
  const hasCost = runs.some((run) => run.summary?.cost_usd);
  const hasTokens = runs.some(tokensOf);
  const hasDrivers = runs.some((run) => run.run?.drivers);
  return [
    { key: "tick", label: el("span", { class: "unseen" }, "Compare"), sortable: false, kind: "tick-box", cell: box },
    { key: "started", label: "Run", kind: "id run", highFirst: true, cell: (run) => [el("a", { class: "row", href: runAddress(run.id), title: run.id }, clipId(run.id, 12)), el("span", { class: "more-figure narrow" }, el("span", { class: "clip", title: run.run?.model ?? "" }, [modeOf(run), shortModel(run.run?.model)].filter(Boolean).join(" · "))), el("span", { class: "more-figure" }, moment(run.started_at), progressBadge(run.progress)), run.problem ? el("span", { class: "error-text clip", title: run.problem }, run.problem) : null] },
    { key: "benchmark", label: "Benchmark", kind: "short", secondary: true, cell: (run) => clip(run.run?.benchmark) },
    { key: "mode", label: hasDrivers ? "Mode, drivers" : "Mode", kind: "short", secondary: true, cell: (run) => [clip(modeOf(run)), run.run?.drivers ? el("span", { class: "more-figure" }, clip(run.run.drivers)) : null] },
    { key: "model", label: "Model", kind: "short", secondary: true, cell: (run) => clip(shortModel(run.run?.model), run.run?.model) },
    { key: "score", label: "Score", highFirst: true, kind: "score", cell: (run) => [el("span", { class: "estimate" }, ...estimateText(run.summary?.score)), intervalPlot(run.summary?.score?.mean, intervalOf(run.summary?.score), { width: 130 })] },
    { key: "coverage", label: "Scored", numeric: true, secondary: true, highFirst: true, cell: (run) => run.summary && el("span", { title: `${count(run.summary.scored)} of ${count(run.summary.attempts_total)} attempts` }, percent(run.summary.coverage)) },
    hasTokens && { key: "tokens", label: "Tokens", numeric: true, secondary: true, highFirst: true, cell: (run) => amount(tokensOf(run)) },
    hasCost && { key: "cost", label: "Cost", numeric: true, secondary: true, highFirst: true, cell: (run) => dollars(run.summary?.cost_usd) },
    { key: "time", label: "Time each", numeric: true, secondary: true, highFirst: true, cell: (run) => seconds(run.summary?.per_attempt?.total_time_s) },
  ].filter(Boolean);
}

/** A text in one line, cut where it is long and whole on hover. */
const clip = (text, title = text) => el("span", { class: "clip", title: title ?? "" }, text ?? "–");

/** A model that is a file, by the name of the file. */
export function shortModel(model) {
  const file = /^(replay|scripted):.*\/([^/]+)\/?$/.exec(model ?? "");
  return file ? `${file[1]}:${file[2]}` : (model ?? "–");
}
