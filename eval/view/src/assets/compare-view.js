// Compares runs: paired differences, and the samples on which the runs differ.

import { ask } from "./api.js";
import { el } from "./dom.js";
import { count, moment, plural, signed } from "./format.js";
import { scoreMark } from "./badges.js";
import { moveFocus } from "./keys.js";
import { NO_INTERVAL, estimateText, intervalOf, intervalPlot } from "./plots.js";
import { address, attemptAddress, backToRuns, joined, pairAddress, replaceAddress, runAddress } from "./route.js";
import { shortModel } from "./runs-view.js";
import { scorerChoice } from "./scorers.js";
import { clipId, pager, rowLinks, table } from "./table.js";

const page = 100;

/** Draws the view and returns its keys. */
export async function compareView(place, { ids, parameters }) {
  let offset = Number(parameters.get("offset")) || 0;
  const answer = await ask("compare", { runs: joined(ids), offset, limit: page });
  const letters = answer.names;
  const [base, ...others] = answer.families;
  const list = el("div");

  function show({ samples, differing_samples: differing }) {
    const columns = [
      { key: "id", label: "Sample", kind: "id", sortable: false, cell: (row) => sampleLink(row, ids) },
      ...letters.flatMap((letter, index) => [
        { key: letter, label: letter, kind: "centre", sortable: false, cell: (row) => resultMark(row.results[index], ids[index], row.id, ids) },
        { key: `${letter}-answer`, label: `Answer of ${letter}`, kind: "text", secondary: true, sortable: false, cell: (row) => el("span", { class: "clip", title: row.results[index]?.answer ?? "" }, row.results[index]?.answer ?? "–") },
      ]),
    ];
    const drawn = samples.length ? table({ columns, rows: samples, order: {}, sorted: () => {}, caption: "Samples on which the runs differ" }) : el("p", { class: "quiet" }, answer.shared_samples ? `They agree on ${answer.shared_samples === 1 ? "the one sample" : `all ${count(answer.shared_samples)} samples`} that both runs have scored.` : "No sample was scored in both runs, so there is nothing to compare.");
    const turn = pager({ offset, shown: samples.length, total: differing, page, go, word: "samples" });
    list.replaceChildren(...[drawn, turn].filter(Boolean));
  }

  async function go(to) {
    offset = to;
    replaceAddress(address("compare", ids, { offset: to || "" }));
    show(await ask("compare", { runs: joined(ids), offset, limit: page }));
  }

  place.replaceChildren(...[
    el("div", { class: "title" }, el("h1", null, "Comparison"), el("p", { class: "quiet" }, "Each run is compared with A over the samples that both have scored.")),
    scorerChoice(answer.scorers, () => (location.hash = address("compare", ids))),
    drawDiffering(answer, letters),
    ...(base?.heading ? [el("p", { class: "quiet" }, base.heading)] : []),
    el("div", { class: "cards" }, ...answer.runs.map((run, index) => runCard(run, letters[index], base?.pairs.find((pair) => pair.second === letters[index])))),
    ...others.flatMap(drawFamily),
    answer.one_task ? null : el("p", { class: "problem" }, "These runs have different benchmarks, datasets or scorers. Samples are matched only by their ids."),
    el("h2", null, answer.differing_samples ? `They differ on ${plural(answer.differing_samples, "sample")}` : answer.shared_samples ? "They do not differ on any sample" : "They have no sample in common"),
    list,
  ].filter(Boolean));
  show(answer);
  return {
    title: "Comparison",
    keys: [
      [["j", "ArrowDown"], "next sample", () => moveFocus(rowLinks, 1)],
      [["k", "ArrowUp"], "previous sample", () => moveFocus(rowLinks, -1)],
      [["u", "Escape"], "back to the runs", () => (location.hash = backToRuns())],
    ],
    trail: [["Comparison", null]],
  };
}

function runCard(run, letter, pair) {
  const identity = run.run ?? {};
  const mode = identity.protocol === "rlm" ? (identity.prompt_mode ?? "rlm") : identity.protocol;
  return el(
    "section",
    { class: "card" },
    el("h3", null, el("span", { class: "letter" }, letter), el("a", { href: runAddress(run.id), title: run.id }, [identity.benchmark, mode].filter(Boolean).join(" · "))),
    el("p", { class: "quiet" }, `${shortModel(identity.model)} · ${moment(run.started_at)}`),
    el("p", { class: "quiet path" }, run.id),
    identity.drivers ? el("p", { class: "quiet" }, identity.drivers) : null,
    ...[
      ["errors excluded", run.summary?.score],
      ["errors as zero", run.summary?.score_errors_as_zero],
    ].map(([label, score]) => el("div", null, el("p", { class: "quiet" }, label), el("p", { class: "estimate" }, intervalPlot(score?.mean, intervalOf(score), { width: 150 }), ...estimateText(score)))),
    pair ? drawPair(pair) : el("p", { class: "quiet" }, "baseline"),
  );
}

/** Draws what differs between the runs, and what is the same in all. */
function drawDiffering({ differing, sentences }, letters) {
  const columns = [
    { key: "part", label: "What differs", kind: "id", sortable: false, cell: ([part]) => part },
    ...letters.map((letter, index) => ({ key: letter, label: letter, kind: "value", sortable: false, cell: ([, values]) => values[index] })),
  ];
  const drawn = differing.length ? table({ columns, rows: differing, order: {}, sorted: () => {}, caption: "What differs between the runs" }) : null;
  return el("div", { class: "differing" }, drawn, ...sentences.map((sentence) => el("p", { class: "quiet" }, sentence)));
}

/** Draws comparisons of runs without a baseline. */
function drawFamily({ heading, pairs }) {
  if (!pairs.length) return [];
  const card = (pair) => el("section", { class: "card" }, el("h3", null, el("span", { class: "letter" }, pair.second), " against ", el("span", { class: "letter" }, pair.first)), drawPair(pair));
  return [el("h2", null, "Comparisons among the best"), heading && el("p", { class: "quiet" }, heading), el("div", { class: "cards" }, ...pairs.map(card))];
}

const ways = [
  ["errors excluded", "errors_excluded"],
  ["errors as zero", "errors_as_zero"],
];

function drawPair(pair) {
  const compared = ways.map(([label, key]) => [label, pair[key]]).filter(([, way]) => way);
  return el(
    "div",
    { class: "pair" },
    ...compared.map(([label, way]) => drawWay(label, way)),
    ...pair.verdict.map((sentence) => el("p", null, sentence)),
    pair.same_task ? null : el("p", { class: "problem" }, "Different benchmark, dataset or scorer: the scores are not comparable."),
  );
}

/** Draws the difference under one way to count errors. */
function drawWay(label, way) {
  const real = way.p_holm !== null && way.p_holm < 0.05;
  const kind = real ? (way.difference > 0 ? "right" : "wrong") : "";
  const [low, high] = way.interval ?? [null, null];
  const p = way.p === null ? "no test" : `${methods[way.method]}, p ${chance(way.p)}${way.p_holm === way.p ? "" : `, after Holm ${chance(way.p_holm)}`}`;
  return el(
    "div",
    { class: "way" },
    el("h4", null, label),
    el("p", { class: "difference" }, el("span", { class: `figure ${kind}` }, signed(way.difference)), el("span", { class: "interval-text" }, way.interval ? `[${signed(low)}, ${signed(high)}]` : NO_INTERVAL)),
    intervalPlot(way.difference, way.interval, { low: -1, high: 1, width: 220 }),
    el("p", null, `${count(way.wins)} better, ${count(way.losses)} worse, ${count(way.ties)} the same, of ${plural(way.samples, "sample")}`),
    el("p", { class: "quiet" }, p),
  );
}

/** Names of the methods of an interval and its test. */
const methods = {
  tango: "Tango's score test",
  t: "t test",
  cluster_t: "t test, cluster-robust",
  no_spread: "score test without spread",
};

/** Formats a p value. One just below 0.05 has more decimals, as in the program's tables. */
function chance(p) {
  if (p < 0.001) return "< 0.001";
  let decimals = 3;
  while (decimals < 9 && p < 0.05 && p.toFixed(decimals).startsWith("0.05")) decimals += 1;
  return `= ${p.toFixed(decimals)}`;
}

/**
 * Links to the two attempts side by side: one of the baseline, and one of the first run that
 * differs from it.
 */
function sampleLink(row, ids) {
  const list = `compare=${encodeURIComponent(joined(ids))}`;
  const [base, ...others] = row.results;
  const differs = others.findIndex((result) => result && (!base || Math.abs(result.score - base.score) > 1e-9)) + 1;
  const href = base && differs ? pairAddress([ids[0], row.id, base.attempt], [ids[differs], row.id, row.results[differs].attempt], { list }) : attemptAddress(ids[0], row.id, base?.attempt ?? 1, { list });
  return el("a", { class: "row", href, title: row.id }, clipId(row.id));
}

function resultMark(result, run, sample, ids) {
  if (!result) return scoreMark(null);
  return el("a", { class: "plain", href: attemptAddress(run, sample, result.attempt, { list: `compare=${encodeURIComponent(joined(ids))}` }) }, scoreMark(result.score));
}
