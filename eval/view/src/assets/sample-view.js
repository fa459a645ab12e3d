// A sample: the answer next to the expected one, the timeline of agents, and the iterations of the
// chosen agent.

import { ask, embedded, pollUntilRead, watch } from "./api.js";
import { el } from "./dom.js";
import { amount, bytes, count, dollars, plural, seconds } from "./format.js";
import { scoreMark, statusBadge } from "./badges.js";
import { filmStrip } from "./film-strip.js";
import { asGrids, drawGrid } from "./grid.js";
import { highlight } from "./highlight.js";
import { inputBox } from "./input.js";
import { iterationList } from "./iterations.js";
import { headOf, longText } from "./long-text.js";
import { drawOutline, followOutline } from "./outline.js";
import { hasProgram, programView } from "./program.js";
import { drawPrompt } from "./prompt.js";
import { attemptAddress, backTo, listAddress, pairAddress, replaceAddress, runAddress } from "./route.js";
import { folderTrail, label } from "./run-view.js";
import { shortModel } from "./runs-view.js";
import { holdsMark } from "./said.js";
import { drawSpending } from "./spending.js";
import { drawTimeline, roleWord } from "./timeline.js";
import { markdownSwitch, turnMarkdown } from "./written.js";

/** Draws the view and returns its keys and a function that stops it. */
export async function sampleView(place, { ids: [run, sample, attemptText], parameters }) {
  const attempt = attemptText ?? "1";
  const where = { run, sample, attempt };
  // The list or comparison from which the attempt was opened determines its neighbors.
  const list = parameters.get("list") ?? "";
  const asked = { ...where, list };
  let answer = await ask("attempt", asked);
  const wanted = parameters.get("agent");
  // The wanted agent may begin in a part of the trajectory that has not been read yet.
  const isUnread = () => Boolean(wanted && answer.progress && !answer.progress.whole);
  const agent = () => answer.agents.find((one) => one.id === wanted) ?? (isUnread() ? undefined : (answer.agents.find((one) => one.depth === 0) ?? answer.agents[0]));
  const hashOf = (id, iteration) => attemptAddress(run, sample, attempt, { agent: id === "root" ? "" : id, iteration, list });
  let all = false;

  const head = el("div");
  const time = el("section", { class: "timeline-box", "aria-label": "Agents in time" });
  const below = el("section", { class: "agent-box", "aria-label": "The chosen agent" });
  // A program is shown next to the tree of its agents.
  const program = hasProgram(answer.agents) ? programView(where, { hashOf }) : null;
  place.replaceChildren(...[head, embedded ? null : inputBox(where), program ? el("div", { class: "program-and-tree" }, program.element, time) : time, below].filter(Boolean));

  function show() {
    head.replaceChildren(...header(answer, where, list));
    const chosen = agent()?.id;
    const now = answer.progress?.now_ms ?? 0;
    const more = () => {
      all = true;
      show();
    };
    const focused = time.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
    time.replaceChildren(...[el("h2", null, plural(answer.agents.length, "agent")), reading(answer.progress), drawTimeline(answer.agents, { chosen, hashOf, now, timed: answer.progress?.timed ?? false, runProgress: answer.run_progress, all, more })].filter(Boolean));
    if (focused) [...time.querySelectorAll("a.agent")].find((link) => link.getAttribute("href") === focused)?.focus({ preventScroll: true });
  }
  show();

  let iterations = null;
  /** Id of the agent whose texts and iterations are shown. */
  let opened;
  let outline = null;
  const agentOf = (id) => answer.agents.find((one) => one.id === id);
  const agentHead = el("div", { class: "agent-head" });
  const began = el("div", { class: "agent-texts" });
  const beside = el("div", { class: "outline-box" });
  const film = el("div");
  const spent = el("div");
  const ended = el("div", { class: "agent-texts" });

  /**
   * Draws header and texts of the chosen agent. Its start and end are each requested once, when
   * they exist.
   */
  async function showAgent() {
    const one = agent();
    agentHead.replaceChildren(...agentFacts(one, answer.run_progress));
    const lacksEnd = one.status !== null && !ended.dataset.known;
    if (began.dataset.known && !lacksEnd) return;
    const { start, end } = await ask("agent", { ...where, agent: one.id });
    // Another agent may have been opened in the meantime.
    if (one.id !== opened) return;
    if (start && !began.dataset.known) {
      began.replaceChildren(...beginning(start, one, where));
      began.dataset.known = "yes";
    }
    if ((end || one.status !== null) && !ended.dataset.known) {
      // The trajectory contains the end of a stopped agent only as an event of its caller.
      ended.replaceChildren(...ending(end ?? { answer: null, error: one.error }, one, where));
      ended.dataset.known = "yes";
    }
  }

  async function openAgent() {
    const one = agent();
    if (!one) return;
    opened = one.id;
    outline = null;
    for (const texts of [began, ended]) {
      texts.replaceChildren();
      delete texts.dataset.known;
    }
    const start = Number(parameters.get("iteration")) || 0;
    iterations = iterationList(where, one.id, { hashOf, agentOf, start, flat: one.surface === "none", whenDrawn: follow, codeless: one.surface === "native_tools", moved: (number) => replaceAddress(hashOf(one.id, number)) });
    below.replaceChildren(spent, agentHead, film, began, ended, el("div", { class: "with-outline" }, beside, iterations.element));
    await Promise.all([showAgent(), iterations.load(), program?.refresh()]);
    if (start) iterations.focusOn(start);
  }
  await openAgent();

  const shownArticles = () => [...(iterations?.element.querySelectorAll("article") ?? [])];
  function follow() {
    const drawn = beside.querySelector(".outline");
    if (drawn) followOutline(drawn, shownArticles());
  }

  /** Draws outline, film strip and spending, which the first view does not need. */
  async function showOutline() {
    const found = (await ask("outline", where)).agents;
    // The outline of a live attempt usually has not changed.
    const same = JSON.stringify(found) === JSON.stringify(outline);
    if (same) return;
    outline = found;
    const one = agent();
    const turns = outline.find(({ id }) => id === one?.id)?.iterations ?? [];
    const go = (number) => {
      replaceAddress(hashOf(one.id, number));
      iterations?.goTo(number).then(follow);
    };
    const opened = spent.querySelector("details")?.open;
    beside.replaceChildren(...(turns.length > 1 ? [drawOutline(turns, { hashOf: (number) => hashOf(one.id, number), go })] : []));
    film.replaceChildren(...[filmStrip(turns, where, { hashOf: (number) => hashOf(one.id, number), go })].filter(Boolean));
    spent.replaceChildren(...[drawSpending(outline, answer.agents, { hashOf, chosen: one?.id })].filter(Boolean));
    if (opened) spent.querySelector("details").open = true;
    follow();
  }

  /**
   * Goes to the next error of the attempt: first in the rest of this agent, then in the agents
   * below it, then from the beginning.
   */
  function nextError() {
    const links = [...time.querySelectorAll("a.agent")].map((link) => new URLSearchParams(link.getAttribute("href").split("?")[1] ?? "").get("agent") ?? "root");
    const order = new Map(links.map((id, place) => [id, place]));
    const sorted = [...(outline ?? [])].sort((a, b) => (order.get(a.id) ?? 1e9) - (order.get(b.id) ?? 1e9));
    const all = sorted.flatMap(({ id, iterations: turns }) => turns.filter((turn) => turn.errors).map((turn) => [id, turn.number]));
    if (!all.length) return;
    const here = agent()?.id;
    const current = iterations?.current() ?? 0;
    const place = sorted.findIndex(({ id }) => id === here);
    const later = all.find(([id, number]) => (id === here ? number > current || (number === current && !document.activeElement?.closest("article")) : sorted.findIndex((one) => one.id === id) > place));
    const [id, number] = later ?? all[0];
    if (id !== here) location.hash = hashOf(id, number);
    else {
      replaceAddress(hashOf(id, number));
      iterations.goTo(number);
    }
  }

  const refresh = async () => {
    answer = await ask("attempt", asked);
    show();
    if (agent()?.id !== opened) await openAgent();
    else await Promise.all([iterations && showAgent(), iterations?.refresh(), program?.refresh()]);
    await showOutline();
  };
  let stopped = false;
  const onScroll = () => requestAnimationFrame(follow);
  addEventListener("scroll", onScroll, { passive: true });
  // Wait until the frame that shows the rest has been drawn.
  if (answer.progress?.whole) requestAnimationFrame(() => setTimeout(() => !stopped && showOutline().catch(() => {})));
  const stopWatching = watch(where, answer.stamp, refresh);
  pollUntilRead({ isRead: () => answer.progress?.whole ?? true, isStopped: () => stopped, refresh });

  const go = (to) => to && (location.hash = attemptAddress(run, to.id, to.attempt, { list }));
  const turnAgent = (by) => {
    const links = [...time.querySelectorAll("a.agent")];
    const at = links.findIndex((link) => link.classList.contains("chosen"));
    const to = links[at + by];
    if (to) location.hash = to.getAttribute("href");
  };
  const fromComparison = new URLSearchParams(list).has("compare");
  const named = [label({ id: run, run: answer.run }), answer.run ? shortModel(answer.run.model) : null].filter(Boolean).join(" · ");
  return {
    title: `${sample} · ${named}`,
    trail: [...folderTrail(run), ...(fromComparison ? [["Comparison", listAddress(run, list)]] : []), [named, embedded && embedded.sample ? null : fromComparison ? backTo(runAddress(run)) : listAddress(run, list)], [sample, null]],
    stop: () => {
      stopped = true;
      removeEventListener("scroll", onScroll);
      stopWatching();
    },
    keys: [
      [["j", "ArrowDown"], "next iteration", () => iterations?.step(1)],
      [["k", "ArrowUp"], "previous iteration", () => iterations?.step(-1)],
      [["n"], "next agent", () => turnAgent(1)],
      [["p"], "previous agent", () => turnAgent(-1)],
      [["e"], "next error, in this agent and those below it", nextError],
      [["f"], "collapse or expand all iterations", () => iterations?.foldAll()],
      [["m"], "rendered Markdown, or its source", turnMarkdown],
      ...(embedded
        ? []
        : [
            [["]", "ArrowRight"], "next sample", () => go(answer.neighbours.next)],
            [["[", "ArrowLeft"], "previous sample", () => go(answer.neighbours.previous)],
            [["u", "Escape"], fromComparison ? "back to the comparison" : "back to the run", () => (location.hash = listAddress(run, list))],
          ]),
    ],
  };
}

function header({ record, run: identity, run_progress: runProgress, neighbours, agents, attempts }, { run, sample, attempt }, list) {
  const step = (to, text, name) => (to && !embedded ? el("a", { class: "step", href: attemptAddress(run, to.id, to.attempt, { list }), "aria-label": name }, text) : null);
  const within = { list: " of the list", comparison: " that differ" }[neighbours.within] ?? "";
  const steps = el("span", { class: "steps" }, step(neighbours.previous, "←", "Previous sample"), embedded ? null : el("span", { class: "quiet" }, `${count(neighbours.place ?? 0)} of ${count(neighbours.of)}${within}`), step(neighbours.next, "→", "Next sample"));
  const title = el("div", { class: "title with-steps" }, el("h1", null, record ? scoreMark(record.score) : null, " ", el("bdi", null, sample), attempt === "1" ? null : el("span", { class: "quiet" }, ` attempt ${attempt}`), " ", record ? (record.status === "ok" ? null : statusBadge(record.status)) : statusBadge(null, runProgress)), steps);
  const query = headOf(agents.find((one) => one.depth === 0)?.query ?? "");
  const facts = [identity?.drivers ? `drivers ${identity.drivers}` : null, run];
  const parts = [title, el("p", { class: "quiet path" }, facts.filter(Boolean).join(" · "))];
  if (!embedded && attempts.length > 1) parts.push(otherAttempts(attempts, { run, sample, attempt }, list));
  if (query) parts.push(el("p", { class: "query" }, query.length > 300 ? `${query.slice(0, 300)}…` : query));
  if (record) parts.push(el("p", { class: "quiet record-facts" }, recordFacts(record)), answers(record));
  if (record?.error) parts.push(el("div", { class: "block failed" }, el("h4", null, "Error"), el("pre", { class: "error", tabindex: "0" }, record.error)));
  return parts;
}

/** Lists the attempts at the same sample, each with a link to compare it with this one. */
function otherAttempts(attempts, { run, sample, attempt }, list) {
  const items = attempts.map((one) => {
    const here = String(one.attempt) === attempt;
    const beside = here ? null : [" ", el("a", { href: pairAddress([run, sample, attempt], [run, sample, one.attempt], { list }), "aria-label": `Attempts ${attempt} and ${one.attempt} side by side` }, "⇄")];
    return el("li", null, scoreMark(one.score), " ", here ? el("strong", { "aria-current": "true" }, `attempt ${one.attempt}`) : el("a", { href: attemptAddress(run, sample, one.attempt, { list }) }, `attempt ${one.attempt}`), beside);
  });
  return el("ul", { class: "attempts", "aria-label": "Attempts at this sample" }, ...items);
}

function recordFacts(record) {
  const usage = record.usage;
  const facts = [
    record.score_explanation,
    ...Object.entries(record.scores ?? {}).map(([scorer, { score }]) => `${scorer}: ${typeof score === "number" ? score.toFixed(2) : "no score"}`),
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

/** Draws the answer next to the expected one, as drawings if both are grids. */
export function answers(record) {
  const expected = typeof record.expected === "string" ? record.expected : JSON.stringify(record.expected);
  const [wanted, given] = [asGrids(record.expected), record.answer === null ? null : asGrids(record.answer)];
  const column = (name, content) => el("div", { class: "answer" }, el("h2", null, name), content);
  const text = (value) => (value === "" ? el("p", { class: "quiet" }, "Empty text.") : longText(value, {}, { kind: "value" }));
  const none = el("p", { class: "quiet" }, "No answer.");
  if (record.state !== null && record.state !== undefined) {
    // The final state is scored, but the answer is shown as well.
    const value = (one) => (typeof one === "string" ? text(one) : longText(JSON.stringify(one, null, 2), {}, { kind: "value", draw: highlight }));
    return el("div", { class: "answers" }, column("Scored state", value(record.state)), column("Expected", value(record.expected)), column("Answered", record.answer === null ? none : text(record.answer)));
  }
  // Requests to a server have no expected answer.
  if (record.expected === null || record.expected === undefined) return el("div", { class: "answers" }, column("Answered", record.answer === null ? none : text(record.answer)));
  if (!wanted) return el("div", { class: "answers" }, column("Answered", record.answer === null ? none : text(record.answer)), column("Expected", text(expected)));
  const right = el("div", { class: "grids" }, ...wanted.map((grid) => drawGrid(grid, "expected")));
  const answered = given ? el("div", { class: "grids" }, ...given.map((grid, index) => drawGrid(grid, "answered", wanted[index] ?? grid))) : record.answer === null ? none : text(record.answer);
  return el("div", { class: "answers" }, column("Answered", answered), column("Expected", right));
}

/** Shows how much of the trajectory has been read, until all of it is. */
export function reading(progress) {
  if (!progress) return el("p", { class: "quiet" }, "The trajectory is missing.");
  const notes = [];
  if (!progress.whole) notes.push(`Reading: ${bytes(progress.indexed_bytes)} of ${bytes(progress.bytes)}`);
  if (progress.whole && progress.ended && progress.indexed_bytes < progress.bytes) notes.push("The last line is truncated and was skipped.");
  if (progress.malformed) notes.push(`${plural(progress.malformed, "line")} could not be read and ${progress.malformed === 1 ? "was" : "were"} skipped.`);
  if (progress.restarted) notes.push(`An earlier process began this attempt, which was restarted: ${progress.restarted}.`);
  if (progress.resumed) notes.push(`An earlier process began this attempt: ${plural(progress.resumed, "response")} came from its journal.`);
  return notes.length ? el("p", { class: "quiet reading", role: "status" }, notes.join(" ")) : null;
}

function agentFacts(agent, runProgress) {
  const facts = [
    roleWord(agent.role),
    agent.model,
    agent.messages ? `${plural(agent.messages, "message")} from its caller` : `${count(agent.iterations)} of ${plural(agent.max_iterations, "iteration")}`,
    agent.messages && agent.llm_calls ? plural(agent.iterations, "iteration") : null,
    plural(agent.llm_calls, "request"),
    agent.failed_cells ? `${plural(agent.failed_cells, "cell")} failed` : null,
  ];
  return [el("div", { class: "agent-title" }, el("h2", null, agent.id, " ", agent.status === "ok" ? "" : statusBadge(agent.status, runProgress)), holdsMark(agent.holds), markdownSwitch()), el("p", { class: "quiet" }, facts.filter(Boolean).join(" · "))];
}

function beginning(start, agent, where) {
  const parts = [];
  if (start.system_prompt) parts.push(drawPrompt(start.system_prompt, where));
  else parts.push(el("p", { class: "quiet" }, start.system_prompt === null ? "The recording does not contain the system prompt." : "No system prompt."));
  if (start.query !== null) parts.push(el("details", { class: "prompt", open: agent.depth > 0 }, el("summary", null, "Asked"), longText(start.query, where, { kind: "message" })));
  return parts;
}

function ending(end, agent, where) {
  const parts = [];
  if (agent.depth > 0 && end.answer !== null) parts.push(el("details", { class: "prompt", open: true }, el("summary", null, "Answered"), longText(headOf(end.answer) === "" ? "(empty text)" : end.answer, where, { kind: "message" })));
  if (end.error) parts.push(el("div", { class: "block failed" }, el("h4", null, "Ended without an answer"), longText(end.error, where, { kind: "error" })));
  return parts;
}
