// A sample: the answer against the expected one, the agents in time, and the iterations of the chosen one.

import { ask, embedded, watch } from "./api.js";
import { el } from "./dom.js";
import { amount, bytes, count, dollars, plural, seconds } from "./format.js";
import { scoreMark, statusBadge } from "./badges.js";
import { asGrids, drawGrid } from "./grid.js";
import { highlight } from "./highlight.js";
import { iterationList } from "./iterations.js";
import { headOf, longText } from "./long-text.js";
import { drawPrompt } from "./prompt.js";
import { attemptAddress, backTo, replaceAddress, runAddress } from "./route.js";
import { label } from "./run-view.js";
import { shortModel } from "./runs-view.js";
import { drawTimeline, roleWord } from "./timeline.js";

/** Draws the view, and gives its keys and what stops it. */
export async function sampleView(place, { ids: [run, sample, attemptText], parameters }) {
  const attempt = attemptText ?? "1";
  const where = { run, sample, attempt };
  let answer = await ask("attempt", where);
  const wanted = parameters.get("agent");
  const agent = () => answer.agents.find((one) => one.id === wanted) ?? answer.agents.find((one) => one.depth === 0) ?? answer.agents[0];
  const hashOf = (id, iteration) => attemptAddress(run, sample, attempt, { agent: id === "root" ? "" : id, iteration });
  let all = false;

  const head = el("div");
  const time = el("section", { class: "timeline-box", "aria-label": "Agents in time" });
  const below = el("section", { class: "agent-box", "aria-label": "The chosen agent" });
  place.replaceChildren(head, time, below);

  function show() {
    head.replaceChildren(...header(answer, where));
    const chosen = agent()?.id;
    const now = answer.progress?.now_ms ?? 0;
    const more = () => {
      all = true;
      show();
    };
    const focused = time.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
    time.replaceChildren(...[el("h2", null, plural(answer.agents.length, "agent")), reading(answer.progress), drawTimeline(answer.agents, { chosen, hashOf, now, timed: answer.progress?.timed ?? false, all, more })].filter(Boolean));
    if (focused) [...time.querySelectorAll("a.agent")].find((link) => link.getAttribute("href") === focused)?.focus({ preventScroll: true });
  }
  show();

  let list = null;
  const agentHead = el("div", { class: "agent-head" });
  const began = el("div", { class: "agent-texts" });
  const ended = el("div", { class: "agent-texts" });

  /** Head and texts of the chosen agent. What it began and ended with is read once each, when it is there. */
  async function showAgent() {
    const one = agent();
    agentHead.replaceChildren(...agentFacts(one));
    const lacksEnd = one.status !== null && !ended.dataset.known;
    if (began.dataset.known && !lacksEnd) return;
    const { start, end } = await ask("agent", { ...where, agent: one.id });
    if (start && !began.dataset.known) {
      began.replaceChildren(...beginning(start, one, where));
      began.dataset.known = "yes";
    }
    if (end && !ended.dataset.known) {
      ended.replaceChildren(...ending(end, one, where));
      ended.dataset.known = "yes";
    }
  }

  async function openAgent() {
    const one = agent();
    if (!one) return;
    const flat = ["flat", "one_shot", "direct", "app", "judge", "dual_ai", "ai_human"].includes(one.role);
    const start = Number(parameters.get("iteration")) || 0;
    list = iterationList(where, one.id, { hashOf, start, flat, codeless: ["tools", "tool_specialist", "dual_ai", "ai_human"].includes(one.role), moved: (number) => replaceAddress(hashOf(one.id, number)) });
    below.replaceChildren(agentHead, began, ended, list.element);
    await Promise.all([showAgent(), list.load()]);
    if (start) list.focusOn(start);
  }
  await openAgent();

  const refresh = async () => {
    answer = await ask("attempt", where);
    show();
    if (!list) await openAgent();
    else await Promise.all([showAgent(), list.refresh()]);
  };
  let stopped = false;
  const stopWatching = watch(where, answer.stamp, refresh);
  // A long trajectory is read in steps: what there is of it is shown meanwhile.
  (async () => {
    while (!stopped && answer.progress && !answer.progress.whole) {
      await refresh();
      await new Promise((done) => setTimeout(done, 150));
    }
  })().catch(() => {});

  const go = (to) => to && (location.hash = attemptAddress(run, to.id, to.attempt));
  const turnAgent = (by) => {
    const links = [...time.querySelectorAll("a.agent")];
    const at = links.findIndex((link) => link.classList.contains("chosen"));
    const to = links[at + by];
    if (to) location.hash = to.getAttribute("href");
  };
  const named = [label({ id: run, run: answer.run }), answer.run ? shortModel(answer.run.model) : null].filter(Boolean).join(" · ");
  return {
    title: `${sample} · ${named}`,
    trail: [[named, embedded && embedded.sample ? null : backTo(runAddress(run))], [sample, null]],
    stop: () => {
      stopped = true;
      stopWatching();
    },
    keys: [
      [["j", "ArrowDown"], "next iteration", () => list?.step(1)],
      [["k", "ArrowUp"], "previous iteration", () => list?.step(-1)],
      [["n"], "next agent", () => turnAgent(1)],
      [["p"], "previous agent", () => turnAgent(-1)],
      ...(embedded
        ? []
        : [
            [["]", "ArrowRight"], "next sample", () => go(answer.neighbours.next)],
            [["[", "ArrowLeft"], "previous sample", () => go(answer.neighbours.previous)],
            [["u", "Escape"], "back to the run", () => (location.hash = backTo(runAddress(run)))],
          ]),
    ],
  };
}

function header({ record, run: identity, neighbours, agents }, { run, sample, attempt }) {
  const step = (to, text, name) => (to && !embedded ? el("a", { class: "step", href: attemptAddress(run, to.id, to.attempt), "aria-label": name }, text) : null);
  const steps = el("span", { class: "steps" }, step(neighbours.previous, "←", "Previous sample"), embedded ? null : el("span", { class: "quiet" }, `${count(neighbours.place ?? 0)} of ${count(neighbours.of)}`), step(neighbours.next, "→", "Next sample"));
  const title = el("div", { class: "title with-steps" }, el("h1", null, record ? scoreMark(record.score) : null, " ", el("bdi", null, sample), attempt === "1" ? null : el("span", { class: "quiet" }, ` attempt ${attempt}`), " ", record ? statusBadge(record.status) : statusBadge(null)), steps);
  const query = headOf(agents.find((one) => one.depth === 0)?.query ?? "");
  const facts = [identity?.drivers ? `drivers ${identity.drivers}` : null, run];
  const parts = [title, el("p", { class: "quiet path" }, facts.filter(Boolean).join(" · "))];
  if (query) parts.push(el("p", { class: "query" }, query.length > 300 ? `${query.slice(0, 300)}…` : query));
  if (record) parts.push(el("p", { class: "quiet" }, recordFacts(record)), answers(record));
  if (record?.error) parts.push(el("div", { class: "block failed" }, el("h4", null, "Error"), el("pre", { class: "error", tabindex: "0" }, record.error)));
  return parts;
}

function recordFacts(record) {
  const usage = record.usage;
  const facts = [
    record.score_explanation,
    plural(record.iterations, "iteration"),
    record.agents > 1 ? plural(record.agents, "agent") : null,
    usage && usage.input_tokens + usage.output_tokens > 0 ? `${amount(usage.input_tokens)} → ${amount(usage.output_tokens)} tokens` : null,
    record.cost_usd === null ? null : dollars(record.cost_usd),
    seconds(record.total_time_s),
    record.failed_cells ? `${plural(record.failed_cells, "cell")} failed` : null,
    record.returned_early ? "asked to confirm its first answer" : null,
  ];
  return facts.filter(Boolean).join(" · ");
}

/** The answer beside the expected one: as drawings where both are grids. */
function answers(record) {
  const expected = typeof record.expected === "string" ? record.expected : JSON.stringify(record.expected);
  const [wanted, given] = [asGrids(record.expected), record.answer === null ? null : asGrids(record.answer)];
  const column = (name, content) => el("div", { class: "answer" }, el("h2", null, name), content);
  const text = (value) => (value === "" ? el("p", { class: "quiet" }, "An empty text.") : longText(value, {}, { kind: "value" }));
  const none = el("p", { class: "quiet" }, "No answer.");
  if (record.state !== null && record.state !== undefined) {
    // The final state is judged; the final answer is shown, too.
    const value = (one) => (typeof one === "string" ? text(one) : longText(JSON.stringify(one, null, 2), {}, { kind: "value", draw: highlight }));
    return el("div", { class: "answers" }, column("State, which is judged", value(record.state)), column("Expected", value(record.expected)), column("Answered", record.answer === null ? none : text(record.answer)));
  }
  if (!wanted) return el("div", { class: "answers" }, column("Answered", record.answer === null ? none : text(record.answer)), column("Expected", text(expected)));
  const right = el("div", { class: "grids" }, ...wanted.map((grid) => drawGrid(grid, "expected")));
  const answered = given ? el("div", { class: "grids" }, ...given.map((grid, index) => drawGrid(grid, "answered", wanted[index] ?? grid))) : record.answer === null ? none : text(record.answer);
  return el("div", { class: "answers" }, column("Answered", answered), column("Expected", right));
}

/** How far the trajectory is read, while it is not. */
function reading(progress) {
  if (!progress) return el("p", { class: "quiet" }, "The trajectory is gone.");
  const notes = [];
  if (!progress.whole) notes.push(`Reading: ${bytes(progress.indexed_bytes)} of ${bytes(progress.bytes)}`);
  if (progress.whole && progress.ended && progress.indexed_bytes < progress.bytes) notes.push("The last line was never written to its end and is left out.");
  if (progress.malformed) notes.push(`${plural(progress.malformed, "line")} could not be read and ${progress.malformed === 1 ? "is" : "are"} left out.`);
  return notes.length ? el("p", { class: "quiet reading", role: "status" }, notes.join(" ")) : null;
}

function agentFacts(agent) {
  const facts = [
    roleWord(agent.role),
    agent.model,
    agent.messages ? `${plural(agent.messages, "message")} of its caller` : `${count(agent.iterations)} of ${plural(agent.max_iterations, "iteration")}`,
    agent.messages && agent.llm_calls ? plural(agent.iterations, "iteration") : null,
    plural(agent.llm_calls, "request"),
    agent.failed_cells ? `${plural(agent.failed_cells, "cell")} failed` : null,
  ];
  return [el("h2", null, agent.id, " ", agent.status === "ok" ? "" : statusBadge(agent.status)), el("p", { class: "quiet" }, facts.filter(Boolean).join(" · "))];
}

function beginning(start, agent, where) {
  const parts = [];
  if (start.system_prompt) parts.push(drawPrompt(start.system_prompt, where));
  else parts.push(el("p", { class: "quiet" }, start.system_prompt === null ? "The recording does not hold the system prompt." : "No system prompt."));
  if (start.query !== null) parts.push(el("details", { class: "prompt", open: agent.depth > 0 }, el("summary", null, "Asked"), longText(start.query, where, { kind: "message" })));
  return parts;
}

function ending(end, agent, where) {
  const parts = [];
  if (agent.depth > 0 && end.answer !== null) parts.push(el("details", { class: "prompt", open: true }, el("summary", null, "Answered"), longText(headOf(end.answer) === "" ? "(an empty text)" : end.answer, where, { kind: "message" })));
  if (end.error) parts.push(el("div", { class: "block failed" }, el("h4", null, "Ended without an answer"), longText(end.error, where, { kind: "error" })));
  return parts;
}
