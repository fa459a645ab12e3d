// The workers of a run that uses a queue: their number, their speed, and their longest-running
// attempts.

import { el } from "./dom.js";
import { count, plural, seconds } from "./format.js";
import { attemptAddress } from "./route.js";
import { table } from "./table.js";

/** Seconds without a heartbeat after which a worker counts as lost. */
const patience = 10;

/** Number of attempts to list: those that have been running longest. */
const named = 8;

/** Returns the section of a run's page, or null for a run without a queue. */
export function workers(run, queue) {
  if (!queue?.workers?.length) return null;
  const silent = (one) => (queue.at_ms - one.heard_ms) / 1000;
  const isHere = (one) => !one.unfit && !one.leaving && silent(one) <= patience;
  const rows = [...queue.workers].sort((a, b) => (a.worker < b.worker ? -1 : 1));
  const state = (one) => {
    if (one.unfit) return el("span", { class: "badge error", title: one.unfit }, "incompatible");
    if (one.leaving) return el("span", { class: "badge stopped" }, "has left");
    if (silent(one) > patience) return el("span", { class: "badge error" }, `silent for ${seconds(silent(one))}`);
    return el("span", { class: "badge running" }, "working");
  };
  const columns = [
    { key: "worker", label: "Worker", cell: (one) => one.worker, sortable: false },
    { key: "host", label: "Machine", cell: (one) => one.host, sortable: false, secondary: true },
    { key: "state", label: "State", cell: state, sortable: false },
    { key: "under_way", label: "Under way", cell: (one) => (isHere(one) ? `${count(one.under_way.length)} of ${count(one.concurrency)}` : "–"), sortable: false, numeric: true },
    { key: "finished", label: "Finished", cell: (one) => count(one.finished), sortable: false, numeric: true },
    { key: "rate", label: "Per minute", cell: (one) => (one.per_minute === undefined ? "–" : one.per_minute.toFixed(1)), sortable: false, numeric: true },
    { key: "calls", label: "Calls", cell: (one) => count(one.spent.calls), sortable: false, numeric: true },
  ];
  const drawn = table({ columns, rows, order: {}, sorted: () => {}, caption: "Workers" });
  const words = [`${count(queue.waiting ?? 0)} attempts waiting`, `${count(queue.under_way ?? 0)} under way`, queue.state.is === "open" ? null : queue.state.is, queue.state.reason];
  return el("section", { class: "workers", "aria-label": "Workers" }, el("h2", null, "Workers"), el("p", { class: "quiet" }, words.filter(Boolean).join(" · ")), drawn, stragglers(run, queue, rows.filter(isHere)));
}

function stragglers(run, queue, rows) {
  const all = rows.flatMap((one) => one.under_way.map((attempt) => ({ ...attempt, worker: one.worker, time: (queue.at_ms - attempt.since_ms) / 1000 })));
  const longest = all.sort((a, b) => b.time - a.time).slice(0, named);
  if (!longest.length) return null;
  const again = (one) => (one.delivery > 1 ? `, begun ${count(one.delivery)} times` : "");
  const items = longest.map((one) => el("li", null, el("a", { href: attemptAddress(run, one.sample, one.attempt) }, one.attempt > 1 ? `${one.sample} #${one.attempt}` : one.sample), ` ${seconds(Math.max(0, one.time))}, ${plural(one.calls, "call")}, ${one.worker}${again(one)}`));
  return el("div", { class: "under-way" }, el("h3", null, "Longest-running attempts"), el("ul", null, ...items));
}
