// The runs of the folder: sorted, filtered, selected for comparison.

import { ask, watch } from "./api.js";
import { el } from "./dom.js";
import { amount, count, dollars, moment, percent, plural, seconds } from "./format.js";
import { progressBadge } from "./badges.js";
import { moveFocus } from "./keys.js";
import { estimateText, intervalOf, intervalPlot } from "./plots.js";
import { address, backTo, replaceAddress, runAddress } from "./route.js";
import { clipId, pager, rowLinks, table } from "./table.js";

/** Runs per page. */
const page = 50;

/** Draws the view and returns its keys and a function that stops it. */
export async function runsView(place, { parameters }) {
  const state = { folder: parameters.get("folder") ?? "", filter: parameters.get("filter") ?? "", sort: parameters.get("sort") ?? "started", descending: parameters.get("descending") !== "0", offset: Number(parameters.get("offset")) || 0 };
  const asked = () => ({ folder: state.folder, filter: state.filter, sort: state.sort, descending: state.descending ? "1" : "0", offset: state.offset || "", limit: page });
  let answer = await ask("runs", asked());
  let latestLoad = 0;
  /** Start time of each selected run, by its id. */
  const ticked = new Map();

  const filter = el("input", { type: "search", placeholder: "Filter by benchmark, model, mode, driver", "aria-label": "Filter runs", value: state.filter });
  let waiting;
  filter.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => set({ filter: filter.value, offset: 0 }), 100);
  });
  const compare = el("button", { type: "button", class: "primary", onclick: openComparison });
  const groups = el("div");
  const rows = el("div");
  const status = el("p", { class: "quiet", role: "status" });

  async function set(to) {
    Object.assign(state, to);
    replaceAddress(address("runs", [], { folder: state.folder, filter: state.filter, sort: state.sort === "started" ? "" : state.sort, descending: state.descending ? "" : "0", offset: state.offset || "" }));
    await load();
  }

  async function load() {
    latestLoad += 1;
    const thisLoad = latestLoad;
    const found = await ask("runs", asked());
    // Ignore an answer that arrives after the answer to a later request.
    if (thisLoad !== latestLoad) return;
    answer = found;
    show();
  }

  function openComparison() {
    // The oldest run is the baseline.
    const ids = [...ticked].sort(([a, began], [b, later]) => compareValues(began, later) || compareValues(a, b)).map(([id]) => id);
    if (ids.length > 1) location.hash = address("compare", ids);
  }

  function show() {
    const focused = document.activeElement?.closest?.(rowLinks)?.getAttribute("href");
    const all = columns(ticked, showCompare, answer.runs, state.folder);
    const drawn = table({ columns: all, rows: answer.runs, order: { key: state.sort, descending: state.descending }, sorted: (to) => set({ sort: to.key, descending: to.descending, offset: 0 }), caption: "Runs" });
    const nothing = el("p", { class: "quiet" }, answer.total ? (state.filter ? "No run matches." : "This folder contains runs only in its subfolders.") : "No runs here yet.");
    const turn = pager({ offset: answer.offset, shown: answer.runs.length, total: answer.matching, page, go: (offset) => set({ offset }), word: "runs" });
    groups.replaceChildren(...(state.folder ? [drawMatrix(answer.matrix, answer.groups[0])] : drawGroups(answer.groups)).filter(Boolean));
    const inFolders = !state.folder && !state.filter && answer.groups.length;
    rows.replaceChildren(...[answer.groups.length ? el("h2", null, inFolders ? "Other runs" : "Runs") : null, inFolders && !answer.runs.length ? null : answer.runs.length ? drawn : nothing, turn].filter(Boolean));
    if (inFolders && !answer.runs.length) rows.replaceChildren();
    status.textContent = [state.filter ? `${count(answer.matching)} of ${count(answer.total)} runs match` : "", answer.not_searched ? `There are more than ${count(answer.not_searched)} folders here; not all were searched.` : ""].filter(Boolean).join(". ");
    if (focused) [...document.querySelectorAll(rowLinks)].find((link) => link.getAttribute("href") === focused)?.focus({ preventScroll: true });
    showCompare();
  }

  function showCompare() {
    compare.disabled = ticked.size < 2;
    compare.textContent = ticked.size < 2 ? "Select two runs to compare" : `Compare ${ticked.size} runs`;
  }

  place.replaceChildren(
    el("div", { class: "title" }, el("h1", null, state.folder || "Runs"), el("p", { class: "quiet path" }, answer.folder)),
    el("div", { class: "tools" }, filter, compare, status),
    groups,
    rows,
  );
  show();
  const stop = watch({}, answer.stamp, load);
  const tick = () => document.activeElement?.closest("tr")?.querySelector("input[type=checkbox]")?.click();
  return {
    title: state.folder || "Runs",
    trail: state.folder ? [[state.folder, null]] : [],
    stop,
    keys: [
      [["j", "ArrowDown"], "next run", () => moveFocus(rowLinks, 1)],
      [["k", "ArrowUp"], "previous run", () => moveFocus(rowLinks, -1)],
      [["x"], "select the run", tick],
      [["c"], "compare the selected runs", openComparison],
      [["/"], "filter", () => filter.focus()],
      ...(state.folder ? [[["u", "Escape"], "back to all runs", () => (location.hash = backTo("#/"))]] : []),
    ],
  };
}

/** Draws the subfolders of the current folder, which are mostly sweeps. */
function drawGroups(groups) {
  if (!groups.length) return [];
  const columns = [
    { key: "folder", label: "Folder", kind: "id run", sortable: false, cell: (group) => [el("a", { class: "row", href: address("runs", [], { folder: group.id }), title: group.id }, clipId(group.id, 12)), el("span", { class: "more-figure" }, moment(group.started_at))] },
    { key: "runs", label: "Runs", sortable: false, cell: (group) => [`${group.is_sweep ? "sweep of " : ""}${plural(group.runs, "run")}`, group.not_begun.length ? el("span", { class: "more-figure" }, `${count(group.not_begun.length)} not begun`) : null] },
    { key: "best", label: "Best", sortable: false, cell: (group) => (group.best ? [el("span", { class: "figure" }, group.best[1].toFixed(3)), el("span", { class: "more-figure" }, el("a", { href: runAddress(group.best[0]), title: group.best[0] }, clip(group.best[0].slice(group.id.length + 1))))] : "–") },
  ];
  return [el("h2", null, "Folders"), table({ columns, rows: groups, order: {}, sorted: () => {}, caption: "Folders of runs" })];
}

/** Dimensions in which runs of a folder can differ: a name and the value of a run. */
const axes = [
  ["model", (run) => shortModel(run.model)],
  ["benchmark", (run) => run.benchmark],
  ["depth", (run) => (run.protocol === "direct" ? "–" : String(run.max_depth))],
  ["iterations", (run) => (run.protocol === "direct" ? "–" : String(run.max_iterations))],
  ["drivers", (run) => run.drivers || "none"],
  ["mode", (run) => (run.protocol === "rlm" ? (run.prompt_mode ?? "rlm") : run.protocol)],
];

/**
 * Draws the runs of a folder as a matrix. The first dimension with few values goes across, the
 * others down.
 */
function drawMatrix(cells, group) {
  const known = (cells ?? []).filter((cell) => cell.run);
  // A direct call has neither depth nor iterations, which does not count as a difference.
  const varied = axes.filter(([, of]) => new Set(known.map(({ run }) => of(run)).filter((value) => value !== "–")).size > 1);
  if (known.length < 2 || !varied.length) return notBegun(group);
  const values = ([, of]) => [...new Set(known.map(({ run }) => of(run)))].sort(compareValues);
  const fits = varied.filter((axis) => values(axis).length <= 6);
  const across = varied.length > 1 ? fits[0] : null;
  const down = varied.filter((axis) => axis !== across);
  const key = (run) => down.map(([, of]) => of(run)).join("\u0000");
  const byRow = new Map();
  for (const cell of known) byRow.set(key(cell.run), [...(byRow.get(key(cell.run)) ?? []), cell]);
  const best = Math.max(...known.map(({ score }) => score?.mean ?? -1));
  const draw = (cell) =>
    el(
      "a",
      { class: `matrix-cell${cell.score && cell.score.mean === best ? " best" : ""}`, href: runAddress(cell.id), title: cell.id },
      el("span", { class: "estimate" }, ...estimateText(cell.score)),
      intervalPlot(cell.score?.mean, intervalOf(cell.score), { width: 130 }),
      cell.cost_usd ? el("span", { class: "more-figure" }, [dollars(cell.cost_usd), unknownCosts(cell)].filter(Boolean).join(" and ")) : null,
    );
  const columns = [
    ...down.map((axis, place) => ({ key: axis[0], label: axis[0], kind: "value", sortable: false, cell: ([first]) => (place === 0 ? el("strong", null, axis[1](first.run)) : axis[1](first.run)) })),
    ...(across ? values(across).map((value) => ({ key: value, label: `${across[0]} ${value}`, sortable: false, cell: (row) => row.filter(({ run }) => across[1](run) === value).map(draw) })) : [{ key: "score", label: "Score", sortable: false, cell: (row) => row.map(draw) }]),
  ];
  const drawn = table({ columns, rows: [...byRow.values()], order: {}, sorted: () => {}, caption: "Runs by their differences" });
  return el("section", { class: "matrix" }, el("h2", null, `${plural(known.length, "run")} by ${varied.map(([name]) => name).join(", ")}`), drawn, notBegun(group));
}

const notBegun = (group) => (group?.not_begun.length ? el("p", { class: "quiet" }, `Not begun: ${group.not_begun.join(", ")}.`) : null);

const compareValues = (a, b) => (typeof a === "number" ? a - b : a < b ? -1 : Number(a > b));

const modeOf = (run) => (run.run?.protocol === "rlm" ? (run.run.prompt_mode ?? "rlm") : (run.run?.protocol ?? ""));

/** Returns `2 unknown` if the costs of two attempts are unknown, and null if all are known. */
const unknownCosts = (summary) => (summary?.cost_unknown ? `${count(summary.cost_unknown)} unknown` : null);

/** Returns the contents of a cell with a cost. Without a known cost, it says only what is unknown. */
function costCell(summary) {
  const cost = dollars(summary?.cost_usd);
  const unknown = unknownCosts(summary);
  if (!unknown) return cost;
  return summary.cost_usd ? [cost, el("span", { class: "more-figure" }, `and ${unknown}`)] : el("span", { class: "more-figure" }, unknown);
}

const tokensOf = (run) => (run.summary?.usage ? run.summary.usage.input_tokens + run.summary.usage.output_tokens : null);

function columns(ticked, changed, runs, folder) {
  const box = (run) => {
    const input = el("input", { type: "checkbox", "aria-label": `Compare ${run.id}`, disabled: Boolean(run.problem), checked: ticked.has(run.id) });
    input.addEventListener("change", () => {
      if (input.checked) ticked.set(run.id, run.started_at ?? "");
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
    { key: "started", label: "Run", kind: "id run", highFirst: true, cell: (run) => [el("a", { class: "row", href: runAddress(run.id), title: run.id }, clipId(folder ? run.id.slice(folder.length + 1) : run.id, 12)), el("span", { class: "more-figure narrow" }, el("span", { class: "clip", title: run.run?.model ?? "" }, [modeOf(run), shortModel(run.run?.model)].filter(Boolean).join(" · "))), el("span", { class: "more-figure" }, moment(run.started_at), progressBadge(run.progress)), run.problem ? el("span", { class: "error-text clip", title: run.problem }, run.problem) : null] },
    { key: "benchmark", label: "Benchmark", kind: "short", secondary: true, cell: (run) => clip(run.run?.benchmark) },
    { key: "mode", label: hasDrivers ? "Mode, drivers" : "Mode", kind: "short", secondary: true, cell: (run) => [clip(modeOf(run)), run.run?.drivers ? el("span", { class: "more-figure" }, clip(run.run.drivers)) : null] },
    { key: "model", label: "Model", kind: "short", secondary: true, cell: (run) => clip(shortModel(run.run?.model), run.run?.model) },
    { key: "score", label: "Score", highFirst: true, kind: "score", cell: (run) => [el("span", { class: "estimate" }, ...estimateText(run.summary?.score)), intervalPlot(run.summary?.score?.mean, intervalOf(run.summary?.score), { width: 130 })] },
    { key: "coverage", label: "Scored", numeric: true, secondary: true, highFirst: true, cell: (run) => run.summary && el("span", { title: `${count(run.summary.scored)} of ${count(run.summary.attempts_total)} attempts` }, percent(run.summary.coverage)) },
    hasTokens && { key: "tokens", label: "Tokens", numeric: true, secondary: true, highFirst: true, cell: (run) => amount(tokensOf(run)) },
    hasCost && { key: "cost", label: "Cost", numeric: true, secondary: true, highFirst: true, cell: (run) => costCell(run.summary) },
    { key: "time", label: "Time each", numeric: true, secondary: true, highFirst: true, cell: (run) => seconds(run.summary?.per_attempt?.total_time_s) },
  ].filter(Boolean);
}

/** Shows a text on one line, truncated if it is long, with the whole text on hover. */
const clip = (text, title = text) => el("span", { class: "clip", title: title ?? "" }, text ?? "–");

/** Returns the file name of a model that is a file. */
export function shortModel(model) {
  const file = /^(replay|scripted):.*\/([^/]+)\/?$/.exec(model ?? "");
  return file ? `${file[1]}:${file[2]}` : (model ?? "–");
}
