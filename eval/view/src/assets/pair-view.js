// Two attempts side by side, of two runs or at one sample: answers, differences in settings and
// prompts, and the roots' iterations with the first that diverges.

import { ask, embedded } from "./api.js";
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
import { answers } from "./sample-view.js";
import { pager, table } from "./table.js";

/** Draws the view and returns its keys. */
export async function pairView(place, { ids, parameters }) {
  const list = parameters.get("list") ?? "";
  let offset = Number(parameters.get("offset")) || 0;
  const sides = [ids.slice(0, 3), ids.slice(3, 6)].map(([run, sample, attempt]) => ({ run, sample, attempt: attempt ?? "1" }));
  if (!sides[1].sample) throw new Error("The address must name two attempts, each with run, sample and attempt.");
  const [one, other] = await Promise.all(sides.map((where) => ask("attempt", { ...where, list })));
  const both = [one, other];
  const roots = both.map(({ agents }) => agents.find(({ depth }) => depth === 0) ?? agents[0]);
  const sameRun = sides[0].run === sides[1].run;
  const [texts, compared] = await Promise.all([
    Promise.all(sides.map((where, side) => (roots[side] ? ask("agent", { ...where, agent: roots[side].id }) : { start: null, end: null }))),
    sameRun ? null : ask("compare", { runs: joined(sides.map(({ run }) => run)), limit: 0 }),
  ]);
  const rows = el("div");

  async function load() {
    const pages = await Promise.all(sides.map((where, side) => (roots[side] ? ask("iterations", { ...where, agent: roots[side].id, offset, limit: iterationPage }) : { rows: [], total: 0 })));
    const total = Math.max(...pages.map((page) => page.total));
    const turn = pager({ offset, shown: Math.max(...pages.map((page) => page.rows.length)), total, page: iterationPage, go, word: "iterations" });
    rows.replaceChildren(...[drawIterations(pages, sides, roots, list, offset), turn].filter(Boolean));
  }
  async function go(to) {
    offset = to;
    replaceAddress(pairAddress(ids.slice(0, 3), ids.slice(3, 6), { list, offset: to || "" }));
    await load();
  }

  const samples = sides[0].sample === sides[1].sample;
  const names = sameRun ? sides.map(({ attempt }) => `attempt ${attempt}`) : ["A", "B"];
  const steps = [
    ["previous", "←", "Previous"],
    ["next", "→", "Next"],
  ].map(([way, sign, word]) => {
    const to = pairTo(one.neighbours[way], sides, list);
    return to && !embedded ? el("a", { class: "step", href: to, "aria-label": `${word} sample`, "data-way": way }, sign) : null;
  });
  const within = one.neighbours.within === "comparison" ? " that differ" : one.neighbours.within === "list" ? " of the list" : "";
  place.replaceChildren(...[
    el("div", { class: "title with-steps" }, el("h1", null, el("bdi", null, sides[0].sample), samples ? "" : [" and ", el("bdi", null, sides[1].sample)]), el("span", { class: "steps" }, steps[0], el("span", { class: "quiet" }, `${count(one.neighbours.place ?? 0)} of ${count(one.neighbours.of)}${within}`), steps[1])),
    el("div", { class: "pair-grid" }, ...both.map((answer, side) => head(answer, sides[side], names[side], list)), ...both.map((answer, side) => (answer.record ? el("div", null, answers(answer.record)) : el("p", { class: "quiet" }, `${names[side]} has no record yet.`)))),
    settings(compared, names),
    prompts(texts, names),
    el("h2", null, "Iterations of the root"),
    rows,
  ].filter(Boolean));
  await load();
  const step = (way) => {
    const link = place.querySelector(`a[data-way="${way}"]`);
    if (link) location.hash = link.getAttribute("href");
  };
  const fromComparison = new URLSearchParams(list).has("compare");
  const back = fromComparison || !sameRun ? (fromComparison ? listAddress(sides[0].run, list) : backTo(`#/compare/${sides.map(({ run }) => encodeURIComponent(run)).join("/")}`)) : listAddress(sides[0].run, list);
  return {
    title: `${sides[0].sample} side by side`,
    trail: [[sameRun ? label({ id: sides[0].run, run: one.run }) : "Comparison", back], [`${sides[0].sample} side by side`, null]],
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
  if (to.attempts) {
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

function head({ record, run }, { run: id, sample, attempt }, name, list) {
  const facts = record ? [plural(record.iterations, "iteration"), record.agents > 1 ? plural(record.agents, "agent") : null, record.usage ? `${amount(record.usage.input_tokens)} → ${amount(record.usage.output_tokens)} tokens` : null, record.cost_usd === null ? null : dollars(record.cost_usd), seconds(record.total_time_s)] : [];
  return el(
    "div",
    null,
    el("h2", null, el("span", { class: "badge b" }, name), " ", record ? scoreMark(record.score) : null, " ", el("a", { href: attemptAddress(id, sample, attempt, { list }) }, [label({ id, run }), attempt === "1" ? null : `attempt ${attempt}`].filter(Boolean).join(" · ")), " ", record?.status === "ok" ? null : statusBadge(record?.status ?? null)),
    el("p", { class: "quiet" }, [shortModel(run?.model), ...facts].filter(Boolean).join(" · ")),
    el("p", { class: "quiet path" }, el("a", { href: backTo(runAddress(id)) }, id)),
    record?.error ? el("pre", { class: "error", tabindex: "0" }, record.error) : null,
  );
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
function prompts(texts, names) {
  const [first, second] = texts.map(({ start }) => start);
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

/** Draws the iterations of both attempts side by side and marks the first that differs. */
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
    if (!same && !diverged) {
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
