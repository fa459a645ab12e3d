// Events of web environments: the page as read, its screenshot, the envelope, and the results of
// its actions.

import { el } from "./dom.js";
import { count, plural } from "./format.js";
import { drawImage } from "./image.js";
import { headOf, isCut, longText } from "./long-text.js";

/** Draws a `web` event in the form of its kind, or returns null for a kind without one. */
export function drawWeb(event, where, results) {
  return drawings[event.what]?.(event, where, results) ?? null;
}

/**
 * Returns the results of each envelope's actions, which are shown with the actions and not
 * separately.
 */
export function resultsOf(events) {
  const found = new Map();
  let open = null;
  for (const event of events.filter(({ kind }) => kind.type === "web")) {
    const { event: web } = event.kind;
    if (web.what === "envelope") open = web.envelope ? event : null;
    if (web.what === "action_results" && open) {
      // Only if each result belongs to the action at its index.
      const { actions } = open.kind.event.envelope;
      const fits = web.results.length <= actions.length && web.results.every(({ action }, place) => headOf(action) === ("narrate" in actions[place] ? "narrate" : headOf(actions[place].tool)));
      if (fits) found.set(open, event);
      open = null;
    }
  }
  return found;
}

const drawings = {
  page: ({ at, dump, chars }, where) => {
    const [above, visible, below] = dump.viewport;
    const header = `URL: ${headOf(dump.url)}\nTITLE: ${headOf(dump.title)}\nVIEWPORT: ${above}px above · ${visible}px visible · ${below}px below`;
    const read = at ? `read at ${headOf(at).replace(/(\.\d{3})\d+/, "$1")}, ` : "";
    const size = `${read}${count(chars)} characters, ${plural(dump.elements.length, "id")}, ${dump.millis.toFixed(1)} ms${dump.truncated ? ", cut" : ""}`;
    const ids = dump.elements.map(({ id, element }) => `[${headOf(id)}] ${headOf(element)}`).join("\n");
    return named(
      "Page",
      el("details", { class: "request dump" }, el("summary", null, headOf(dump.url) || "The page", " ", el("span", { class: "facts" }, size)), el("pre", { class: "text" }, header), longText(dump.tree, where), ids ? el("details", null, el("summary", null, "Elements by id"), longText(ids, where)) : null),
    );
  },
  refused: ({ addresses }) => named("Blocked addresses", el("ul", null, ...addresses.map((address) => el("li", null, headOf(address)))), "failed"),
  page_call: ({ function: name, arguments: given, result, error, ms }, where) => {
    const call = el("p", null, el("code", null, headOf(name)), ` ${headOf(given)} `, el("span", { class: "facts" }, `${ms.toFixed(1)} ms`));
    if (error) return named("Page call", el("div", null, call, longText(error, where, { kind: "error" })), "failed");
    return named("Page call", el("div", null, call, longText(typeof result === "string" || isCut(result) ? result : JSON.stringify(result ?? null), where)));
  },
  no_page: ({ problem }, where) => named("Page", longText(problem, where, { kind: "error" }), "failed"),
  screenshot: ({ image }, where) => named("Screenshot", drawImage(image, where, { alt: "The page" })),
  envelope: ({ envelope, repairs, problem }, where, results) => {
    const parts = [];
    if (problem) parts.push(named("Malformed envelope", longText(problem, where, { kind: "error" }), "failed"));
    if (envelope) {
      parts.push(named("Memory", longText(envelope.memory || "(nothing)", where)));
      if (envelope.todos_remaining.length) parts.push(named("Still to do", el("ul", { class: "todos" }, ...envelope.todos_remaining.map((todo) => el("li", null, headOf(todo))))));
      const none = el("p", { class: "quiet" }, "No actions: the work ends here.");
      const failed = results?.some(({ result }) => result === "failed");
      parts.push(named("Actions", envelope.actions.length ? el("ol", { class: "actions" }, ...envelope.actions.map((step, place) => drawAction(step, where, results?.[place]))) : none, failed ? "failed" : ""));
    }
    if (repairs?.length) parts.push(drawRepairs(repairs));
    return el("div", { class: "envelope" }, ...parts);
  },
  action_results: ({ results }) => {
    if (!results.length) return el("div", null);
    const failed = results.some(({ result }) => result === "failed");
    return named("Results", el("ol", { class: "actions" }, ...results.map(drawResult)), failed ? "failed" : "");
  },
  json_action: ({ action, repairs, problem }, where) => {
    const parts = [problem ? named("Malformed response", longText(problem, where, { kind: "error" }), "failed") : named("Action", el("p", null, action))];
    if (repairs?.length) parts.push(drawRepairs(repairs));
    return el("div", { class: "envelope" }, ...parts);
  },
  document_read: ({ uri, found, chars }) => el("p", { class: "quiet" }, `An app read ${headOf(uri)}: ${found ? `${count(chars)} characters` : "document not found"}.`),
  state: ({ state }, where) => named("Scored state", longText(JSON.stringify(state, null, 2), where), "done"),
  turn_log: ({ turns, last_messages: messages }, where) => {
    const text = JSON.stringify({ turns, last_messages: messages }, null, 2);
    return el("details", { class: "request" }, el("summary", null, `The last ${plural(turns.length, "turn")} and messages`), longText(text, where));
  },
};

/** Draws an action and its result on one line. */
function drawAction(step, where, result) {
  const came = result ? outcome(result) : null;
  if ("narrate" in step) return el("li", { class: result?.result ?? null }, "says to the user:", came, longText(step.narrate, where));
  const { selector, ...others } = step.args ?? {};
  const more = Object.keys(others).length ? ` ${JSON.stringify(others)}` : "";
  return el("li", { class: result?.result ?? null }, el("code", null, headOf(step.tool)), selector === undefined ? null : [" ", el("code", { class: "selector" }, headOf(selector))], more, came);
}

/** Draws the result of an action. */
function outcome({ result, problem, value, note }) {
  const signs = { done: "✓", failed: "✗", skipped: "–" };
  const kinds = { done: "right", failed: "wrong", skipped: "unknown" };
  const more = [problem, note === undefined ? null : headOf(note), value === undefined ? null : JSON.stringify(value)].filter(Boolean);
  return el("span", { class: "outcome" }, " ", el("span", { class: `mark ${kinds[result] ?? "unknown"}` }, `${signs[result] ?? ""} ${result}`), ...more.map((text) => `: ${text}`));
}

function drawResult(result) {
  return el("li", { class: result.result }, el("code", null, headOf(result.action)), outcome(result));
}

const drawRepairs = (repairs) => named(repairs.length === 1 ? "Repair" : "Repairs", el("ul", null, ...repairs.map((repair) => el("li", null, headOf(repair)))), "failed");

const named = (name, content, kind = "") => el("details", { class: `block ${kind}`, open: true }, el("summary", null, el("h4", null, name)), content);
