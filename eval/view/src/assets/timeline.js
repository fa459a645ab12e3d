// The delegation tree as a timeline: one row for each agent, in tree order.

import { el } from "./dom.js";
import { amount, dollars, plural, roundSeconds, roundStep, seconds } from "./format.js";
import { statusBadge } from "./badges.js";
import { headOf } from "./long-text.js";
import { said } from "./said.js";

/** Number of agents drawn before the rest is requested. */
const most = 60;

const doings = { model: "model", held: "waits to be sent", code: "code executes", sandbox: "code waits: sandbox, processor, tools", waiting: "waits for children", browser: "browser", tools: "tools" };

/**
 * Draws the timeline of an attempt. `chosen` is the agent shown below; `hashOf(agent)` returns the
 * address of another.
 */
export function drawTimeline(agents, { chosen, hashOf, now, timed, runProgress, all = false, more }) {
  if (!agents.length) return el("p", { class: "quiet" }, "This attempt has no events.");
  const ordered = inTreeOrder(agents);
  const first = Math.min(...agents.map((agent) => agent.start_ms), now);
  const end = Math.max(...agents.map((agent) => agent.end_ms), first + 1);
  // The attempt begins slightly before its first agent.
  const begin = first >= 0 && first < end / 20 ? 0 : first;
  const share = (at) => `${(((at - begin) / (end - begin)) * 100).toFixed(3)}%`;
  const shown = all ? ordered : ordered.slice(0, most);
  if (!shown.some((agent) => agent.id === chosen)) shown.push(...ordered.filter((agent) => agent.id === chosen));
  const hasTokens = agents.some((agent) => agent.usage.input_tokens + agent.usage.output_tokens > 0);
  const hasCost = agents.some((agent) => agent.cost_usd !== null);
  const rows = shown.map((agent) => row(agent, { share, chosen: agent.id === chosen, hash: hashOf(agent.id), timed, runProgress, hasTokens, hasCost }));
  const button = shown.length < ordered.length ? el("button", { type: "button", class: "more", onclick: more }, `Show all ${plural(ordered.length, "agent")}`) : null;
  return el(
    "div",
    { class: `timeline${timed ? "" : " untimed"}${hasTokens ? " with-tokens" : ""}${hasCost ? " with-cost" : ""}` },
    timed ? axis(end - begin, begin) : null,
    el("ul", { class: "agents" }, ...rows),
    button,
    timed ? legend(agents) : el("p", { class: "quiet" }, "The recording does not contain times."),
  );
}

/** Draws the legend of the kinds that occur. */
function legend(agents) {
  const drawn = new Set(agents.flatMap((agent) => agent.segments.map((segment) => segment.kind)));
  const keys = Object.entries(doings).filter(([kind]) => drawn.has(kind));
  return el("div", { class: "legend" }, ...keys.map(([kind, word]) => el("span", { class: "key" }, el("i", { class: `dot ${kind}` }), word)));
}

/** Returns parents before their children, and children in the order in which they began. */
function inTreeOrder(agents) {
  const children = new Map();
  const ids = new Set(agents.map((agent) => agent.id));
  for (const agent of agents) {
    const parent = ids.has(agent.parent) && agent.parent !== agent.id ? agent.parent : null;
    if (!children.has(parent)) children.set(parent, []);
    children.get(parent).push(agent);
  }
  const ordered = [];
  // No recursion, because a malicious file may contain a tree of any depth.
  const stack = [...(children.get(null) ?? [])].reverse();
  const seen = new Set();
  while (stack.length) {
    const agent = stack.pop();
    if (seen.has(agent.id)) continue;
    seen.add(agent.id);
    ordered.push(agent);
    stack.push(...[...(children.get(agent.id) ?? [])].reverse());
  }
  return ordered;
}

function row(agent, { share, chosen, hash, timed, runProgress, hasTokens, hasCost }) {
  const track = el("span", { class: "track", "aria-hidden": "true" });
  const life = el("span", { class: "life" });
  place(life, share(agent.start_ms), share(agent.end_ms));
  track.append(life);
  for (const segment of agent.segments) {
    const bar = el("span", { class: `segment ${segment.kind}`, title: `${doings[segment.kind]}, ${seconds((segment.to_ms - segment.from_ms) / 1000)}` });
    place(bar, share(segment.from_ms), share(segment.to_ms));
    track.append(bar);
  }
  const name = el("span", { class: "name" }, el("span", { class: "id" }, agent.id.split(".").at(-1)), el("span", { class: "role" }, roleWord(agent.role)));
  name.style.setProperty("padding-left", `${Math.min(agent.depth, 8) * 14}px`);
  const figures = [el("span", { class: "number time" }, timed ? seconds((agent.end_ms - agent.start_ms) / 1000) : plural(agent.iterations, "iteration"))];
  if (hasTokens) figures.unshift(el("span", { class: "number tokens" }, `${amount(agent.usage.input_tokens)} → ${amount(agent.usage.output_tokens)}`));
  if (hasCost) figures.push(costOf(agent));
  const ended = agent.status === "ok" ? null : statusBadge(agent.status, runProgress);
  return el("li", null, el("a", { class: `agent${chosen ? " chosen" : ""}`, href: hash, title: headOf(agent.query).slice(0, 300), "aria-current": chosen ? "true" : null }, name, track, el("span", { class: "state" }, ended), ...figures, said(agent, { question: agent.depth > 0 })));
}

/** Draws the known cost of an agent, as a lower bound if other costs are unknown. */
function costOf({ cost_usd: known, unpriced_calls: unpriced }) {
  if (known === null || !unpriced) return el("span", { class: "number cost" }, dollars(known));
  return el("span", { class: "number cost", title: `The cost of ${plural(unpriced, "response")} is unknown.` }, `≥ ${dollars(known)}`);
}

/** Returns the role in words. The root's role is omitted, because it is also its name. */
export const roleWord = (role) => ({ root: "", one_shot: "llm()", child: "rlm()", tool_specialist: "specialist", agent_turn: "web agent", json_action: "json actions", workflow: "program", codeact: "code only", dual_ai: "two sides", ai_human: "with a person" })[role] ?? String(role ?? "").replaceAll("_", " ");

function place(element, from, to) {
  element.style.setProperty("left", from);
  element.style.setProperty("width", `calc(${to} - ${from})`);
}

function axis(span, begin) {
  const step = roundStep(span / 5000) * 1000;
  const first = Math.ceil(begin / step - 1e-9);
  const places = Array.from({ length: Math.max(0, Math.floor((begin + span) / step + 1e-9) - first + 1) }, (_, place) => (first + place) * step);
  const ticks = places.map((at) => {
    const share = ((at - begin) / span) * 100;
    const tick = el("span", { class: share < 4 ? "tick first" : share > 96 ? "tick last" : "tick" }, at === 0 ? "0" : roundSeconds(at / 1000, step / 1000));
    tick.style.setProperty("left", `${share}%`);
    return tick;
  });
  return el("div", { class: "axis-row", "aria-hidden": "true" }, el("span", { class: "name" }), el("span", { class: "track" }, ...ticks));
}
