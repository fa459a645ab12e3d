// Runs against each other: paired differences, and the samples on which they differ.

import { ask } from "./api.js";
import { el } from "./dom.js";
import { count, moment, plural, signed } from "./format.js";
import { scoreMark } from "./badges.js";
import { moveFocus } from "./keys.js";
import { estimateText, intervalOf, intervalPlot } from "./plots.js";
import { address, attemptAddress, backTo, replaceAddress, runAddress } from "./route.js";
import { shortModel } from "./runs-view.js";
import { clipId, pager, rowLinks, table } from "./table.js";

const page = 100;

/** Draws the view, and gives its keys. */
export async function compareView(place, { ids, parameters }) {
  let offset = Number(parameters.get("offset")) || 0;
  const answer = await ask("compare", { runs: ids.join("/"), offset, limit: page });
  const letters = answer.runs.map((_, index) => String.fromCharCode(65 + (index % 26)));
  const list = el("div");

  function show({ samples, differing }) {
    const columns = [
      { key: "id", label: "Sample", kind: "id", sortable: false, cell: (row) => sampleLink(row, ids) },
      ...letters.flatMap((letter, index) => [
        { key: letter, label: letter, kind: "centre", sortable: false, cell: (row) => resultMark(row.results[index], ids[index], row.id) },
        { key: `${letter}-answer`, label: `Answer of ${letter}`, kind: "text", secondary: true, sortable: false, cell: (row) => el("span", { class: "clip", title: row.results[index]?.answer ?? "" }, row.results[index]?.answer ?? "–") },
      ]),
    ];
    const drawn = samples.length ? table({ columns, rows: samples, order: {}, sorted: () => {}, caption: "Samples on which the runs differ" }) : el("p", { class: "quiet" }, "They agree on every sample that both have scored.");
    const turn = pager({ offset, shown: samples.length, total: differing, page, go, word: "samples" });
    list.replaceChildren(...[drawn, turn].filter(Boolean));
  }

  async function go(to) {
    offset = to;
    replaceAddress(address("compare", ids, { offset: to || "" }));
    show(await ask("compare", { runs: ids.join("/"), offset, limit: page }));
  }

  place.replaceChildren(
    el("div", { class: "title" }, el("h1", null, "Comparison"), el("p", { class: "quiet" }, "Each run against A, over the samples that both have scored.")),
    el("div", { class: "cards" }, ...answer.runs.map((run, index) => runCard(run, letters[index], index ? answer.pairs[index - 1] : null))),
    el("h2", null, answer.differing ? `They differ on ${plural(answer.differing, "sample")}` : "No sample tells them apart"),
    list,
  );
  show(answer);
  return {
    title: "Comparison",
    keys: [
      [["j", "ArrowDown"], "next sample", () => moveFocus(rowLinks, 1)],
      [["k", "ArrowUp"], "previous sample", () => moveFocus(rowLinks, -1)],
      [["u", "Escape"], "back to the runs", () => (location.hash = backTo("#/"))],
    ],
    trail: [["Comparison", null]],
  };
}

function runCard(run, letter, pair) {
  const identity = run.run ?? {};
  const mode = identity.protocol === "rlm" ? identity.prompt_mode : identity.protocol;
  return el(
    "section",
    { class: "card" },
    el("h3", null, el("span", { class: "letter" }, letter), el("a", { href: runAddress(run.id), title: run.id }, [identity.benchmark, mode].filter(Boolean).join(" · "))),
    el("p", { class: "quiet" }, `${shortModel(identity.model)} · ${moment(run.started_at)}`),
    el("p", { class: "quiet path" }, run.id),
    identity.drivers ? el("p", { class: "quiet" }, identity.drivers) : null,
    el("p", { class: "estimate" }, intervalPlot(run.summary?.score?.mean, intervalOf(run.summary?.score), { width: 150 }), ...estimateText(run.summary?.score)),
    pair ? drawPair(pair) : el("p", { class: "quiet" }, "the base"),
  );
}

function drawPair({ paired, p, same_task: sameTask, same_fingerprint: sameFingerprint }) {
  if (!paired) return el("p", { class: "problem" }, "No sample is scored in both.");
  const real = p !== null && p < 0.05;
  const kind = real ? (paired.difference > 0 ? "right" : "wrong") : "";
  const verdict = p === null ? "too few samples, or no variation, to tell" : `${real ? (paired.difference > 0 ? "better, beyond chance" : "worse, beyond chance") : "within what chance may do"} (p ${chance(p)})`;
  const [low, high] = paired.interval ?? [null, null];
  return el(
    "div",
    { class: "pair" },
    el("p", { class: "difference" }, el("span", { class: `figure ${kind}` }, signed(paired.difference)), paired.interval && el("span", { class: "interval-text" }, `[${signed(low)}, ${signed(high)}]`)),
    intervalPlot(paired.difference, paired.interval, { low: -1, high: 1, width: 220 }),
    el("p", null, `${count(paired.wins)} better, ${count(paired.losses)} worse, ${count(paired.ties)} the same, of ${plural(paired.samples, "sample")}`),
    el("p", { class: "quiet" }, verdict),
    sameTask ? null : el("p", { class: "problem" }, "Another benchmark, dataset or scorer: the scores are not of one kind."),
    sameFingerprint ? el("p", { class: "quiet" }, "The same fingerprint: the same experiment twice.") : null,
  );
}

/** A p value with the digits that matter. */
const chance = (p) => (p < 0.001 ? "< 0.001" : `= ${p.toFixed(3)}`);

/** To the sample in the last run that has scored it, which is the one that is looked into. */
function sampleLink(row, ids) {
  const index = row.results.findLastIndex((result) => result !== null);
  return el("a", { class: "row", href: attemptAddress(ids[index], row.id, row.results[index].attempt), title: row.id }, clipId(row.id));
}

function resultMark(result, run, sample) {
  if (!result) return scoreMark(null);
  return el("a", { class: "plain", href: attemptAddress(run, sample, result.attempt) }, scoreMark(result.score));
}
