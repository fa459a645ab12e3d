// Spending of an attempt in time, tokens and money: a flame graph of its agents and iterations, and
// the tokens of each turn.

import { el } from "./dom.js";
import { amount, count, dollars, percent, seconds } from "./format.js";

const measures = {
  time: { word: "Time", of: (turn) => ((turn.model_ms ?? 0) + (turn.code_ms ?? 0)) / 1000, show: seconds, note: "Model and code time, summed over all agents. The times of concurrent children are added." },
  tokens: { word: "Tokens", of: (turn) => (turn.usage ? turn.usage[0] + turn.usage[2] : 0), show: amount, note: "Input and output." },
  cost: { word: "Cost", of: (turn) => turn.cost_usd ?? 0, show: dollars, note: "US dollars, as far as prices are known." },
};

/** Maximum number of bars; the smallest are omitted. */
const most = 1_500;

/**
 * Draws the section. `outline` covers all agents, `agents` are those of the attempt, `hashOf(agent,
 * iteration)` returns addresses, and `chosen` is the agent whose turns are listed below.
 */
export function drawSpending(outline, agents, { hashOf, chosen }) {
  const turnsOf = new Map(outline.map((agent) => [agent.id, agent.iterations]));
  const known = Object.entries(measures).filter(([, { of }]) => outline.some((agent) => agent.iterations.some((turn) => of(turn) > 0)));
  if (!known.length) return null;
  const graph = el("div");
  const chips = el("div", { class: "chips", role: "group", "aria-label": "What the graph shows" });
  const show = (name) => {
    const focused = chips.contains(document.activeElement);
    chips.replaceChildren(...known.map(([key, { word }]) => el("button", { type: "button", "aria-pressed": String(key === name), onclick: () => show(key) }, word)));
    if (focused) chips.querySelector('[aria-pressed="true"]').focus();
    graph.replaceChildren(...flame(turnsOf, agents, measures[name], hashOf));
  };
  const box = el("details", { class: "spending" }, el("summary", null, "Cost and time"), chips, graph, el("div", { class: "turn-tokens" }, drawTurns(turnsOf.get(chosen) ?? [], chosen, hashOf)));
  // Drawn when opened, because the first view does not need it.
  box.addEventListener("toggle", () => box.open && !graph.children.length && show(known.some(([key]) => key === "cost") ? "cost" : known[0][0]));
  return box;
}

/**
 * Draws the graph. The width of an agent's bar is the usage of the agent and everything below it.
 * Its iterations are below the bar, and the children of each iteration below that.
 */
function flame(turnsOf, agents, measure, hashOf) {
  const agentOf = new Map(agents.map((agent) => [agent.id, agent]));
  const totals = new Map();
  // Children come before their parents. No recursion, because a malicious file may contain a tree
  // of any depth.
  const order = [];
  const stack = agents.filter((agent) => !agentOf.has(agent.parent)).map((agent) => agent.id);
  const called = new Map();
  for (const agent of agents) if (agentOf.has(agent.parent) && agent.parent !== agent.id) called.set(agent.parent, [...(called.get(agent.parent) ?? []), agent.id]);
  const seen = new Set();
  while (stack.length) {
    const id = stack.pop();
    if (seen.has(id)) continue;
    seen.add(id);
    order.push(id);
    stack.push(...(called.get(id) ?? []));
  }
  const own = (id) => (turnsOf.get(id) ?? []).reduce((sum, turn) => sum + measure.of(turn), 0);
  for (const id of [...order].reverse()) totals.set(id, own(id) + (called.get(id) ?? []).reduce((sum, child) => sum + (totals.get(child) ?? 0), 0));
  const roots = order.filter((id) => !agentOf.has(agentOf.get(id).parent));
  const whole = roots.reduce((sum, id) => sum + totals.get(id), 0);
  if (!whole) return [el("p", { class: "quiet" }, "Not recorded.")];
  const bars = [];
  const place = (id, from, row) => {
    const agent = agentOf.get(id);
    bars.push({ from, width: totals.get(id), row, kind: "agent", name: agent.depth ? id.split(".").at(-1) : id, title: `${id}: ${measure.show(totals.get(id))} in all, ${measure.show(own(id))} its own`, hash: hashOf(id) });
    let at = from;
    const next = [];
    const placed = new Set();
    for (const turn of turnsOf.get(id) ?? []) {
      // A child is below the call that started it, and only once.
      const children = (turn.children ?? []).filter((child) => agentOf.get(child)?.parent === id && !placed.has(child));
      for (const child of children) placed.add(child);
      const below = children.reduce((sum, child) => sum + (totals.get(child) ?? 0), 0);
      const width = measure.of(turn) + below;
      const name = turn.to ? `${turn.number}–${turn.to}` : String(turn.number);
      bars.push({ from: at, width, row: row + 1, kind: turn.errors ? "turn failed" : "turn", name, title: `${id}, iteration ${name}: ${measure.show(width)}${children.length ? `, ${measure.show(measure.of(turn))} its own` : ""}`, hash: hashOf(id, turn.number) });
      let child = at;
      for (const one of children) {
        next.push([one, child, row + 2]);
        child += totals.get(one) ?? 0;
      }
      at += width;
    }
    for (const child of (called.get(id) ?? []).filter((one) => !placed.has(one))) {
      next.push([child, at, row + 2]);
      at += totals.get(child) ?? 0;
    }
    return next;
  };
  let at = 0;
  const queue = roots.map((id) => {
    const start = [id, at, 0];
    at += totals.get(id);
    return start;
  });
  while (queue.length) queue.push(...place(...queue.shift()));
  const drawn = bars.filter((bar) => bar.width / whole > 0.0008).sort((a, b) => b.width - a.width).slice(0, most).sort((a, b) => a.row - b.row || a.from - b.from);
  const rows = Math.max(...drawn.map((bar) => bar.row)) + 1;
  const box = el("div", { class: "flame", role: "group", "aria-label": `${measure.word} by agent and iteration` });
  box.style.setProperty("height", `${rows * 22}px`);
  for (const bar of drawn) {
    const share = bar.width / whole;
    const link = el("a", { class: `bar ${bar.kind}`, href: bar.hash, title: `${bar.title} (${percent(share)})`, "aria-label": `${bar.title} (${percent(share)})` }, share > 0.02 ? bar.name : "");
    link.style.setProperty("left", `${(bar.from / whole) * 100}%`);
    link.style.setProperty("width", `${share * 100}%`);
    link.style.setProperty("top", `${bar.row * 22}px`);
    box.append(link);
  }
  const dearest = bars.filter((bar) => bar.kind !== "agent").sort((a, b) => b.width - a.width).slice(0, 5);
  const left = bars.filter((bar) => bar.width > 0).length - drawn.length;
  return [
    el("p", { class: "quiet" }, `${measure.show(whole)} in all. ${measure.note}${left ? ` ${count(left)} bars are too small to be drawn.` : ""}`),
    el("div", { class: "flame-box", tabindex: "0", role: "region", "aria-label": "Flame graph" }, box),
    el("p", { class: "quiet" }, "Largest: ", ...dearest.flatMap((bar, index) => [index ? "; " : "", el("a", { href: bar.hash }, bar.title)])),
  ];
}

/** Maximum turns of an agent in the table. */
const mostTurns = 200;

/** Draws the tokens of each turn, and how many of them were cached. */
function drawTurns(turns, id, hashOf) {
  const used = turns.filter((turn) => turn.usage);
  if (!used.length) return null;
  const widest = Math.max(...used.map(({ usage: [input, , output] }) => input + output), 1);
  const hasCost = used.some((turn) => turn.cost_usd);
  const rows = used.slice(0, mostTurns).map((turn) => {
    const [input, cached, output, reasoning] = turn.usage;
    const part = (kind, number) => {
      const bar = el("span", { class: `cache-part ${kind}` });
      bar.style.setProperty("width", `${(number / widest) * 100}%`);
      return number > 0 ? bar : null;
    };
    const name = turn.to ? `${turn.number}–${turn.to}` : String(turn.number);
    return el("tr", null, el("td", null, el("a", { href: hashOf(id, turn.number) }, name)), el("td", { class: "numeric" }, count(input)), el("td", { class: "numeric" }, input ? `${count(cached)} (${percent(cached / input)})` : "–"), el("td", { class: "numeric" }, count(output)), el("td", { class: "numeric secondary" }, reasoning ? count(reasoning) : "–"), hasCost ? el("td", { class: "numeric" }, dollars(turn.cost_usd)) : null, el("td", { class: "cache-cell secondary" }, el("span", { class: "cache-bar", "aria-hidden": "true" }, part("cached", cached), part("fresh", input - cached), part("output", output))));
  });
  const sum = (place) => used.reduce((all, { usage }) => all + usage[place], 0);
  const key = (kind, word) => el("span", { class: "key" }, el("i", { class: `dot cache-part ${kind}` }), word);
  return [
    el("h3", null, `Tokens of each turn of ${id}`),
    el("p", { class: "quiet" }, `${count(sum(0))} in, of which ${count(sum(1))} cached${sum(0) ? ` (${percent(sum(1) / sum(0))})` : ""}; ${count(sum(2))} out.${used.length > mostTurns ? ` The first ${count(mostTurns)} of ${count(used.length)} turns.` : ""}`),
    el("div", { class: "scroll turns", tabindex: "0", role: "region", "aria-label": "Tokens of each turn" }, el("table", null, el("thead", null, el("tr", null, ...["Turn", "Input", "Cached", "Output"].map((name, place) => el("th", { scope: "col", class: place ? "numeric" : null }, name)), el("th", { scope: "col", class: "numeric secondary" }, "Reasoning"), hasCost ? el("th", { scope: "col", class: "numeric" }, "Cost") : null, el("th", { scope: "col", class: "secondary" }, "cached, new, output"))), el("tbody", null, ...rows))),
    el("div", { class: "legend" }, key("cached", "cached input"), key("fresh", "new input"), key("output", "output")),
  ];
}
