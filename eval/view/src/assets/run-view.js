// A run: its figures, plots and samples.

import { ask, embedded, watch } from "./api.js";
import { el } from "./dom.js";
import { amount, count, dollars, moment, percent, seconds } from "./format.js";
import { progressBadge, statusBadge } from "./badges.js";
import { failureGroups } from "./failures.js";
import { moveFocus } from "./keys.js";
import { estimateText, histogram, intervalOf, intervalPlot, lengthPlot, stackedBar } from "./plots.js";
import { address, attemptAddress, backTo, replaceAddress, runAddress } from "./route.js";
import { shortModel } from "./runs-view.js";
import { scorerChoice } from "./scorers.js";
import { sampleTable } from "./samples.js";
import { rowLinks } from "./table.js";
import { workers } from "./workers.js";

/** Draws the view and returns its keys and a function that stops it. */
export async function runView(place, { ids: [run], parameters }) {
  const state = { filter: parameters.get("filter") ?? "", search: parameters.get("search") ?? "", sort: parameters.get("sort") ?? "", descending: parameters.has("descending"), offset: Number(parameters.get("offset")) || 0 };
  const keep = () => replaceAddress(runAddress(run, parametersOf(state)));
  const again = () => (location.hash = runAddress(run, parametersOf(state)));
  const head = el("div");
  const samples = sampleTable(run, state, keep);
  const [answer] = await Promise.all([ask("run", { run }), samples.load()]);
  const failures = failureGroups(run, samples.searchFor);
  place.replaceChildren(head, failures.element, samples.element, settings(answer.config));
  show(answer);
  failures.load().catch(() => {});

  function show({ config, overview, plots, scorers, spread: bins, under_way: underWay, torn, queue }) {
    head.replaceChildren(...[title(overview), forkOrigin(config.origin), embedded ? null : scorerChoice(scorers, again), figures(overview.summary), drawings(overview.summary, plots, bins), workers(run, queue), running(run, underWay, overview.progress), torn ? el("p", { class: "quiet" }, `Line ${torn} of samples.jsonl is truncated and was skipped.`) : null].filter(Boolean));
  }

  const stop = watch({ run }, answer.stamp, async () => {
    const [news] = await Promise.all([ask("run", { run }), samples.load()]);
    show(news);
    await failures.load();
  });
  return {
    title: label(answer.overview),
    trail: [...folderTrail(run), [label(answer.overview), null]],
    stop: () => {
      stop();
      failures.stop();
    },
    keys: [
      [["j", "ArrowDown"], "next sample", () => moveFocus(rowLinks, 1, samples.past)],
      [["k", "ArrowUp"], "previous sample", () => moveFocus(rowLinks, -1, samples.past)],
      ...(embedded
        ? []
        : [
            [["/"], "search", samples.focusSearch],
            [["w"], "wrong only", () => samples.filter(state.filter === "wrong" ? "" : "wrong")],
            [["e"], "errors only", () => samples.filter(state.filter === "errors" ? "" : "errors")],
            [["a"], "all samples", () => samples.filter("")],
            [["u", "Escape"], "back to the runs", () => (location.hash = backTo(folderTrail(run)[0]?.[1] ?? "#/"))],
          ]),
    ],
  };
}

const parametersOf = ({ filter, search, sort, descending, offset }) => ({ filter, search, sort, descending: descending ? "1" : "", offset: offset || "" });

/** Returns the breadcrumb of a run's parent folder, if it has one. */
export const folderTrail = (run) => (embedded || !run.includes("/") ? [] : [[run.slice(0, run.lastIndexOf("/")), address("runs", [], { folder: run.slice(0, run.lastIndexOf("/")) })]]);

/** Returns a short label for a run. */
export function label({ id, run }) {
  if (!run) return id;
  const how = run.protocol === "rlm" ? (run.prompt_mode ?? "rlm") : run.protocol;
  return [run.benchmark, how].filter(Boolean).join(" ");
}

function title(overview) {
  const { run } = overview;
  const facts = [shortModel(run.model), run.drivers ? `drivers ${run.drivers}` : null, `depth ${run.max_depth}`, `at most ${run.max_iterations} iterations`, moment(overview.started_at)];
  return el(
    "div",
    { class: "title" },
    el("h1", null, label(overview), " ", progressBadge(overview.progress)),
    el("p", { class: "quiet" }, facts.filter(Boolean).join(" · ")),
    el("p", { class: "quiet path" }, overview.id),
  );
}

/** Returns a line about the attempt that a fork continues, or `null` if the run is not a fork. */
function forkOrigin(origin) {
  if (!origin?.run) return null;
  const { llm_calls: calls, cost_usd: cost } = origin.inherited ?? {};
  const inherited = calls > 0 ? `, with ${count(calls)} inherited ${calls === 1 ? "response" : "responses"}${cost > 0 ? ` (${dollars(cost)} in that run)` : ""}` : "";
  const note = origin.note ? el("span", null, " Note: ", el("q", null, origin.note)) : null;
  return el("p", { class: "fork" }, `Fork of ${origin.run}: attempt ${origin.attempt} at ${origin.sample}, from iteration ${origin.iteration}${inherited}.`, note);
}

function figures(summary) {
  const per = summary.per_attempt;
  // Attempts that ended by themselves are right or wrong; for the others, the reason is shown.
  const { ok, limit, error, cancelled } = summary.statuses;
  const right = Math.min(summary.right, ok);
  const statuses = [[right, "right", "right"], [ok - right, "wrong", "not right"], [limit, "limit", "limit"], [error, "error", "error"], [cancelled, "cancelled", "cancelled"]];
  const tile = (name, value, more) => el("div", { class: "tile" }, el("dt", null, name), el("dd", null, value, more ? el("span", { class: "more-figure" }, more) : null));
  const usage = summary.usage;
  const spent = usage ? usage.input_tokens + usage.output_tokens : null;
  return el(
    "dl",
    { class: "tiles" },
    el("div", { class: "tile wide" }, el("dt", null, "Score"), el("dd", { class: "estimate large" }, ...estimateText(summary.score), intervalPlot(summary.score?.mean, intervalOf(summary.score), { width: 160 }))),
    el("div", { class: "tile wide" }, el("dt", null, `${count(summary.attempts)} of ${count(summary.attempts_total)} attempts, ${percent(summary.coverage)} scored`), el("dd", null, stackedBar(statuses))),
    summary.statuses.error ? tile("Errors as zero", ...[summary.score_errors_as_zero?.mean.toFixed(3) ?? "–"]) : null,
    ...repeated(summary.repeated?.errors_excluded, tile),
    tile("Iterations", per ? per.iterations.toFixed(1) : "–"),
    tile("Time each", seconds(per?.total_time_s)),
    per?.agents > 1 ? tile("Agents", per.agents.toFixed(1), `${percent(per.delegation_rate)} delegated`) : null,
    spent ? tile("Tokens", amount(spent), usage.estimated ? "partly estimated" : null) : null,
    summary.cost_usd !== null ? tile("Cost", dollars(summary.cost_usd), summary.cost_unknown ? `${summary.cost_unknown} unknown` : null) : null,
  );
}

/**
 * For several attempts per sample, shows the probability that one of k is right, and that all are.
 */
function repeated(attempts, tile) {
  const passes = (attempts?.pass ?? []).filter(({ pass_at_k: any }) => any);
  if (!passes.length) return [];
  const last = passes.at(-1);
  const figure = (estimate) => (estimate ? estimate.mean.toFixed(3) : "–");
  return passes.filter((pass) => pass.k === 1 || pass === last).map((pass) => tile(`pass@${pass.k}`, figure(pass.pass_at_k), pass.k > 1 ? `pass^${pass.k} ${figure(pass.pass_hat_k)}` : `of ${count(pass.samples)} samples`));
}

/** Draws the number of samples by how many of their attempts are right. */
function spread(bins) {
  if (!bins?.length) return [];
  const most = Math.max(...bins.map(([, samples]) => samples), 1);
  const rows = bins.map(([name, samples, kind]) => {
    const bar = el("span", { class: `part spread-bar ${kind}` });
    bar.style.setProperty("width", `${(samples / most) * 100}%`);
    return el("div", { class: "length-row" }, el("span", { class: "label" }, name), el("span", { class: "spread-track" }, bar), el("span", { class: "value" }, count(samples)));
  });
  return [el("figure", { class: "plot" }, el("figcaption", null, "Samples by right attempts"), ...rows)];
}

function drawings(summary, plots, bins) {
  const lengths = summary.by_context_length.length > 1 ? [lengthPlot(summary.by_context_length)] : [];
  const all = [...spread(bins), ...lengths, ...plots.map(histogram)];
  if (!all.length) return null;
  const legend = plots.length ? el("div", { class: "legend" }, ...[["right", "right"], ["wrong", "wrong"], ["unscored", "no score"]].map(([kind, word]) => el("span", { class: "key" }, el("i", { class: `dot ${kind}` }), word))) : null;
  return el("section", { "aria-label": "Plots" }, el("div", { class: "plots" }, ...all), legend);
}

function running(run, underWay, progress) {
  if (!underWay.length) return null;
  const items = underWay.slice(0, 50).map(({ id, attempt }) => el("li", null, el("a", { href: attemptAddress(run, id, attempt) }, attempt > 1 ? `${id} #${attempt}` : id)));
  const more = underWay.length > 50 ? el("li", null, `and ${count(underWay.length - 50)} more`) : null;
  const word = progress === "running" ? "Under way" : "Started but never finished";
  return el("section", { class: "under-way" }, el("h2", null, word, " ", progress === "running" ? statusBadge(null) : null), el("ul", { class: "children" }, ...items, more));
}

const settings = (config) => el("details", { class: "settings" }, el("summary", null, "Settings"), el("pre", { class: "output", tabindex: "0" }, JSON.stringify(config, null, 2)));
