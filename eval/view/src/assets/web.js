// What happens in an attempt's world on the web: the page as it was read, its picture, the envelope, what came of its actions.

import { el } from "./dom.js";
import { count, plural } from "./format.js";
import { drawImage } from "./image.js";
import { headOf, longText } from "./long-text.js";

/** A `web` event in the form that its kind has; null for one that has none of its own. */
export function drawWeb(event, where) {
  return drawings[event.what]?.(event, where) ?? null;
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
      el("details", { class: "request dump" }, el("summary", null, headOf(dump.url) || "The page", " ", el("span", { class: "facts" }, size)), el("pre", { class: "text" }, header), longText(dump.tree, where), ids ? el("details", null, el("summary", null, "What the ids stand for"), longText(ids, where)) : null),
    );
  },
  refused: ({ addresses }) => named("Out of reach", el("ul", null, ...addresses.map((address) => el("li", null, headOf(address)))), "failed"),
  page_call: ({ function: name, arguments: given, result, error, ms }, where) => {
    const call = el("p", null, el("code", null, headOf(name)), ` ${headOf(given)} `, el("span", { class: "facts" }, `${ms.toFixed(1)} ms`));
    if (error) return named("Page call", el("div", null, call, longText(error, where, { kind: "error" })), "failed");
    return named("Page call", el("div", null, call, longText(typeof result === "string" ? result : JSON.stringify(result ?? null), where)));
  },
  no_page: ({ problem }, where) => named("Page", longText(problem, where, { kind: "error" }), "failed"),
  screenshot: ({ image }, where) => named("Screenshot", drawImage(image, where)),
  envelope: ({ envelope, repairs, problem }, where) => {
    const parts = [];
    if (problem) parts.push(named("Malformed envelope", longText(problem, where, { kind: "error" }), "failed"));
    if (envelope) {
      parts.push(named("Memory", longText(envelope.memory || "(nothing)", where)));
      if (envelope.todos_remaining.length) parts.push(named("Still to do", el("ul", { class: "todos" }, ...envelope.todos_remaining.map((todo) => el("li", null, headOf(todo))))));
      const none = el("p", { class: "quiet" }, "No actions: the work ends here.");
      parts.push(named("Actions", envelope.actions.length ? el("ol", { class: "actions" }, ...envelope.actions.map((step) => drawAction(step, where))) : none));
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
  document_read: ({ uri, found, chars }) => el("p", { class: "quiet" }, `An app read ${headOf(uri)}: ${found ? `${count(chars)} characters` : "there is no such document"}.`),
  state: ({ state }, where) => named("The state that is judged", longText(JSON.stringify(state, null, 2), where), "done"),
  turn_log: ({ turns, last_messages: messages }, where) => {
    const text = JSON.stringify({ turns, last_messages: messages }, null, 2);
    return el("details", { class: "request" }, el("summary", null, `The last ${plural(turns.length, "turn")} and messages`), longText(text, where));
  },
};

function drawAction(step, where) {
  if ("narrate" in step) return el("li", null, "says to the user:", longText(step.narrate, where));
  return el("li", null, el("code", null, headOf(step.tool)), ` ${JSON.stringify(step.args)}`);
}

function drawResult({ action, result, problem, value, note }) {
  const more = [problem, note === undefined ? null : headOf(note), value === undefined ? null : JSON.stringify(value)];
  return el("li", { class: result }, el("code", null, headOf(action)), ` ${result}`, ...more.filter(Boolean).map((text) => `: ${text}`));
}

const drawRepairs = (repairs) => named(repairs.length === 1 ? "Repair" : "Repairs", el("ul", null, ...repairs.map((repair) => el("li", null, headOf(repair)))), "failed");

const named = (name, content, kind = "") => el("section", { class: `block ${kind}` }, el("h4", null, name), content);
