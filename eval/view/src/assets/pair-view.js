// Two attempts side by side, of two runs or at one sample: answers, differences in settings and
// prompts, and the roots' iterations with the first that diverges.

import { ask, embedded, pollUntilRead, watch } from "./api.js";
import { el } from "./dom.js";
import { amount, count, dollars, plural, seconds } from "./format.js";
import { scoreMark, statusBadge } from "./badges.js";
import { diffLines } from "./diff.js";
import { highlight } from "./highlight.js";
import { iterationPage } from "./iterations.js";
import { headOf, longText } from "./long-text.js";
import { sections } from "./prompt.js";
import { attemptAddress, backTo, joined, listAddress, pairAddress, replaceAddress, runAddress } from "./route.js";
import { label } from "./run-view.js";
import { shortModel } from "./runs-view.js";
import { answers, reading } from "./sample-view.js";
import { pager, table } from "./table.js";

/** Draws the view and returns its keys and a function that stops it. */
export async function pairView(place, { ids, parameters }) {
  const list = parameters.get("list") ?? "";
  let offset = Number(parameters.get("offset")) || 0;
  const sides = [ids.slice(0, 3), ids.slice(3, 6)].map(([run, sample, attempt]) => ({ run, sample, attempt: attempt ?? "1" }));
  if (!sides[1].sample) throw new Error("The address must name two attempts, each with run, sample and attempt.");
  const askBoth = () => Promise.all(sides.map((where) => ask("attempt", { ...where, list })));
  let both = await askBoth();
  const { neighbours, run: identity } = both[0];
  const sameRun = sides[0].run === sides[1].run;
  const names = sameRun ? sides.map(({ attempt }) => `attempt ${attempt}`) : ["A", "B"];
  const heads = sides.map(() => el("div"));
  const results = sides.map(() => el("div"));
  const prompt = el("div");
  const rows = el("div");
  /** First event of each root; null until it has been read. */
  const starts = [null, null];
  const known = new Map();
  let latestLoad = 0;

  /** Draws the children of an element again if the data that they show has changed. */
  function update(element, data, draw) {
    const now = JSON.stringify(data);
    if (known.get(element) === now) return;
    known.set(element, now);
    element.replaceChildren(...[draw()].flat().filter(Boolean));
  }

  function show() {
    both.forEach((answer, side) => {
      const { record, progress, run_progress: runProgress } = answer;
      update(heads[side], [record, runProgress, progress?.whole ? null : progress], () => head(answer, sides[side], names[side], list));
      update(results[side], record, () => (record ? answers(record) : el("p", { class: "quiet" }, `${names[side]} has no record yet.`)));
    });
  }

  async function load() {
    latestLoad += 1;
    const thisLoad = latestLoad;
    const roots = both.map(({ agents }) => agents.find(({ depth }) => depth === 0) ?? agents[0]);
    const ended = both.map(({ progress, record }, side) => Boolean(progress?.whole && (record || roots[side]?.status)));
    const pages = await Promise.all(sides.map(async (where, side) => {
      const agent = roots[side]?.id;
      if (!agent) return { rows: [], total: 0, ended: false };
      starts[side] ??= (await ask("agent", { ...where, agent })).start;
      return { ...(await ask("iterations", { ...where, agent, offset, limit: iterationPage })), ended: ended[side] };
    }));
    // Ignore an answer that arrives after the answer to a later request.
    if (thisLoad !== latestLoad) return;
    update(prompt, starts, () => prompts(starts, names));
    const total = Math.max(...pages.map((page) => page.total));
    const turn = () => pager({ offset, shown: Math.max(...pages.map((page) => page.rows.length)), total, page: iterationPage, go, word: "iterations" });
    update(rows, pages, () => [drawIterations(pages, sides, roots, list, offset), turn()]);
  }
  async function go(to) {
    offset = to;
    replaceAddress(pairAddress(ids.slice(0, 3), ids.slice(3, 6), { list, offset: to || "" }));
    await load();
  }

  const samples = sides[0].sample === sides[1].sample;
  const steps = [
    ["previous", "←", "Previous"],
    ["next", "→", "Next"],
  ].map(([way, sign, word]) => {
    const to = pairTo(neighbours[way], sides, list);
    return to && !embedded ? el("a", { class: "step", href: to, "aria-label": `${word} sample`, "data-way": way }, sign) : null;
  });
  const within = neighbours.within === "comparison" ? " that differ" : neighbours.within === "list" ? " of the list" : "";
  const [compared] = await Promise.all([sameRun ? null : ask("compare", { runs: joined(sides.map(({ run }) => run)), limit: 0 }), load()]);
  show();
  place.replaceChildren(
    el("div", { class: "title with-steps" }, el("h1", null, el("bdi", null, sides[0].sample), samples ? "" : [" and ", el("bdi", null, sides[1].sample)]), el("span", { class: "steps" }, steps[0], el("span", { class: "quiet" }, `${count(neighbours.place ?? 0)} of ${count(neighbours.of)}${within}`), steps[1])),
    el("div", { class: "pair-grid" }, heads, results),
    settings(compared, names),
    prompt,
    el("h2", null, "Iterations of the root"),
    rows,
  );
  // One after another, so that an older answer does not replace a newer one.
  let last = Promise.resolve();
  const refresh = () => {
    last = last.catch(() => {}).then(async () => {
      both = await askBoth();
      show();
      await load();
    });
    return last;
  };
  let stopped = false;
  const watches = sides.map((where, side) => watch(where, both[side].stamp, refresh));
  pollUntilRead({ isRead: () => both.every(({ progress }) => progress?.whole ?? true), isStopped: () => stopped, refresh });
  const step = (way) => {
    const link = place.querySelector(`a[data-way="${way}"]`);
    if (link) location.hash = link.getAttribute("href");
  };
  const fromComparison = new URLSearchParams(list).has("compare");
  const back = fromComparison || !sameRun ? (fromComparison ? listAddress(sides[0].run, list) : backTo(`#/compare/${sides.map(({ run }) => encodeURIComponent(run)).join("/")}`)) : listAddress(sides[0].run, list);
  return {
    title: `${sides[0].sample} side by side`,
    stop: () => {
      stopped = true;
      for (const stopWatching of watches) stopWatching();
    },
    trail: [[sameRun ? label({ id: sides[0].run, run: identity }) : "Comparison", back], [`${sides[0].sample} side by side`, null]],
    keys: [
      [["]", "ArrowRight"], "next sample", () => step("next")],
      [["[", "ArrowLeft"], "previous sample", () => step("previous")],
      [["1"], "only the first attempt", () => (location.hash = attemptAddress(sides[0].run, sides[0].sample, sides[0].attempt, { list }))],
      [["2"], "only the second attempt", () => (location.hash = attemptAddress(sides[1].run, sides[1].sample, sides[1].attempt, { list }))],
      [["u", "Escape"], fromComparison || !sameRun ? "back to the comparison" : "back to the run", () => (location.hash = back)],
    ],
  };
}

/** Returns the pair at a neighboring sample: the same runs, if both have an attempt there. */
function pairTo(to, sides, list) {
  if (!to) return null;
  const runs = (new URLSearchParams(list).get("compare") ?? "").split("/").map((id) => decodeURIComponent(id));
  // Two attempts of one run stay the same two, also in a comparison.
  if (to.attempts && sides[0].run !== sides[1].run) {
    const attemptOf = (run) => to.attempts[runs.indexOf(run)];
    const [first, second] = sides.map(({ run }) => run);
    const other = attemptOf(second) ? second : runs.find((run) => run !== first && attemptOf(run));
    if (attemptOf(first) && other) return pairAddress([first, to.id, attemptOf(first)], [other, to.id, attemptOf(other)], { list });
    return attemptAddress(first, to.id, to.attempt ?? 1, { list });
  }
  const attempts = sides[0].run === sides[1].run ? sides.map(({ attempt }) => attempt) : [to.attempt, to.attempt];
  // In the list of a single run, the next row may be the other attempt at the same sample.
  if (to.id === sides[0].sample) return null;
  return pairAddress([sides[0].run, to.id, attempts[0]], [sides[1].run, to.id, attempts[1]], { list });
}

function head({ record, run, progress, run_progress: runProgress }, { run: id, sample, attempt }, name, list) {
  const facts = record ? [plural(record.iterations, "iteration"), record.agents > 1 ? plural(record.agents, "agent") : null, record.usage ? `${amount(record.usage.input_tokens)} → ${amount(record.usage.output_tokens)} tokens` : null, record.cost_usd === null ? null : dollars(record.cost_usd), seconds(record.total_time_s)] : [];
  return [
    el("h2", null, el("span", { class: "badge b" }, name), " ", record ? scoreMark(record.score) : null, " ", el("a", { href: attemptAddress(id, sample, attempt, { list }) }, [label({ id, run }), attempt === "1" ? null : `attempt ${attempt}`].filter(Boolean).join(" · ")), " ", record?.status === "ok" ? null : statusBadge(record?.status ?? null, runProgress)),
    el("p", { class: "quiet" }, [shortModel(run?.model), ...facts].filter(Boolean).join(" · ")),
    el("p", { class: "quiet path" }, el("a", { href: backTo(runAddress(id)) }, id)),
    progress && !progress.whole ? reading(progress) : null,
    record?.error ? el("pre", { class: "error", tabindex: "0" }, record.error) : null,
  ];
}

/** Draws the differences between the settings of the two runs. */
function settings(compared, names) {
  if (!compared) return el("p", { class: "quiet" }, "Two attempts of one run: their settings are the same.");
  const columns = [
    { key: "part", label: "What differs", kind: "id", sortable: false, cell: ([part]) => part },
    ...names.map((name, side) => ({ key: name, label: name, kind: "value", sortable: false, cell: ([, values]) => values[side] })),
  ];
  const drawn = compared.differing.length ? table({ columns, rows: compared.differing, order: {}, sorted: () => {}, caption: "What differs between the runs" }) : null;
  return el("section", { class: "differing" }, el("h2", null, "Settings"), drawn, ...compared.sentences.map((sentence) => el("p", { class: "quiet" }, sentence)));
}

/** Draws the differences between the roots' system prompts and questions, section by section. */
function prompts([first, second], names) {
  if (!first || !second) return null;
  const parts = [];
  if (headOf(first.query) !== headOf(second.query)) parts.push(el("details", { class: "block", open: true }, el("summary", null, el("h4", null, "The question differs")), difference(headOf(first.query), headOf(second.query))));
  const [one, other] = [first, second].map(({ system_prompt: prompt }) => headOf(prompt));
  if (one !== other) {
    const [left, right] = [one, other].map((prompt) => new Map(sections(prompt).map(({ name, text }) => [name, text])));
    for (const name of new Set([...left.keys(), ...right.keys()])) {
      const [before, after] = [left.get(name), right.get(name)];
      if (before === after) continue;
      const where = before === undefined ? ` · only in ${names[1]}` : after === undefined ? ` · only in ${names[0]}` : "";
      parts.push(el("details", { class: "block" }, el("summary", null, el("h4", null, name, where)), difference(before ?? "", after ?? "")));
    }
  }
  const nothing = el("p", { class: "quiet" }, one || other ? "System prompt and question are identical." : "The recordings do not contain a system prompt.");
  return el("section", null, el("h2", null, "Prompt of the root"), ...(parts.length ? parts : [nothing]));
}

const difference = (before, after) => el("pre", { class: "output", tabindex: "0" }, ...diffLines(before, after).map(([kind, text]) => (kind === " " ? `  ${text}\n` : el("span", { class: kind === "+" ? "line-added" : "line-gone" }, `${kind} ${text}`))));

/** Returns what an iteration did, for comparison: the code that ran, or else the response. */
function deed(row) {
  if (!row) return null;
  const of = (type) => row.events.filter(({ kind }) => kind.type === type).map(({ kind }) => kind);
  const code = of("iteration_end").map((kind) => headOf(kind.code)).join("\n");
  const text = of("llm_response").map((kind) => headOf(kind.text)).join("\n");
  const ends = of("iteration_end");
  return { code, text, done: (code || text).trim().replace(/[ \t]+$/gm, ""), output: ends.map((kind) => headOf(kind.output)).join("\n"), error: ends.map((kind) => headOf(kind.error)).filter(Boolean).join("\n"), returned: ends.map(({ returned }) => headOf(returned)).filter(Boolean).join("\n") };
}

/**
 * Draws the iterations of both attempts side by side and marks the first that differs. `pages` also
 * hold whether the attempts have `ended`.
 */
function drawIterations(pages, sides, roots, list, offset) {
  const most = Math.max(...pages.map((page) => page.rows.length));
  if (!most) return el("p", { class: "quiet" }, "Neither attempt has iterations.");
  const drawn = [];
  let diverged = offset > 0;
  let alike = 0;
  for (let place = 0; place < most; place += 1) {
    const [left, right] = pages.map((page) => deed(page.rows[place]));
    const same = left && right && left.done === right.done;
    if (same) alike += 1;
    // The last iteration that has been read may be incomplete, unless the attempt has ended.
    const isComplete = pages.every(({ ended, total }) => ended || offset + place < total - 1);
    if (!same && !diverged && isComplete) {
      diverged = true;
      drawn.push(el("p", { class: "across divergence", role: "note" }, offset + place === 0 ? "They diverge from the first iteration on." : `The first ${plural(offset + place, "iteration")} ran the same code; here they diverge.`));
    }
    [left, right].forEach((did, side) => drawn.push(drawSide(did, side === 0 ? right : left, pages[side].rows[place], sides[side], roots[side], list, same)));
  }
  if (alike === most) drawn.unshift(el("p", { class: "across quiet" }, "All of these iterations ran the same code."));
  return el("div", { class: "pair-grid" }, ...drawn);
}

function drawSide(did, beside, row, { run, sample, attempt }, root, list, same) {
  if (!did) return el("div", { class: "quiet" }, "–");
  const where = { run, sample, attempt };
  const link = el("a", { href: attemptAddress(run, sample, attempt, { agent: root.id === "root" ? "" : root.id, iteration: row.number, list }) }, `Iteration ${row.number}`);
  const theirs = new Set((beside?.done ?? "").split("\n").map((line) => line.trim()));
  const marked = (text) => (same || !beside || text.length > 20_000 ? highlight(text) : text.split("\n").map((line) => (line.trim() && !theirs.has(line.trim()) ? el("span", { class: "line-added" }, ...highlight(line)) : [...highlight(line), "\n"])).flat());
  const parts = [did.code ? longText(did.code, where, { kind: "code", draw: marked }) : did.text ? longText(did.text, where, { kind: "prose" }) : null];
  if (did.output) parts.push(longText(did.output, where));
  if (did.error) parts.push(longText(did.error, where, { kind: "error" }));
  if (did.returned) parts.push(longText(did.returned, where, { kind: "returned" }));
  return el("section", { class: `iteration${same ? " pair-alike" : ""}`, "aria-label": `Iteration ${row.number}` }, el("header", null, el("h3", null, link), same ? el("span", { class: "facts" }, "the same code") : null), ...parts);
}
