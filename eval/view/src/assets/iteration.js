// Draws one iteration: the request, the model's response, the code and its result.

import { el } from "./dom.js";
import { amount, count, dollars, plural, seconds } from "./format.js";
import { asGrids, drawGrid } from "./grid.js";
import { drawImage, isImage } from "./image.js";
import { drawJsonAction } from "./json-action.js";
import { headOf, isCut, longText } from "./long-text.js";
import { drawResponse } from "./response.js";
import { said } from "./said.js";
import { drawWeb, resultsOf } from "./web.js";

const drawnElsewhere = new Set(["iteration_start", "iteration_end", "llm_request", "llm_response", "llm_error", "llm_retry", "llm_wait", "llm_cached", "llm_billed", "tool_call", "context_trimmed", "context_compacted", "delegation_spawn", "agent_created", "message_sent", "message_received", "message_answered", "delegation_return", "delegation_error", "delegation_unawaited"]);

/**
 * Draws an iteration as an article. `options` holds `where`, `hash` (its address), `agentHash(id)`,
 * `flat` (without a REPL) and `codeless` (calls tools instead of running code).
 */
export function drawIteration({ number, events }, { where, hash, agentHash, agentOf = () => null, flat, codeless }) {
  const of = (type) => events.filter((event) => event.kind.type === type);
  const responses = of("llm_response");
  const ends = of("iteration_end");
  const requests = of("llm_request");
  const messages = of("message_received");
  const parts = messages.map(({ kind }) => named(`Message ${kind.number} from the caller`, longText(kind.text, where)));
  for (const request of requests.filter(({ kind }) => kind.new_messages.length)) parts.push(drawRequest(request.kind, where));
  for (const { kind } of of("llm_retry")) parts.push(el("p", { class: "quiet" }, `Sent again after ${seconds(kind.delay_ms / 1000)}: ${headOf(kind.error)}`));
  for (const { kind } of of("llm_billed")) parts.push(el("p", { class: "quiet" }, `A try without a response used ${spent(kind)}.`));
  for (const { kind } of of("context_trimmed")) parts.push(el("p", { class: "quiet" }, `The conversation exceeded the model's context window: ${count(kind.chars)} characters of older output were dropped.`));
  for (const { kind } of of("context_compacted")) parts.push(drawCompaction(kind, where, agentHash));
  if (of("llm_cached").length) parts.push(el("p", { class: "quiet" }, "The response comes from the cache."));
  for (const { kind } of of("llm_error")) parts.push(named("Model error", longText(kind.error, where, { kind: "error" }), "failed"));
  // What a web agent saw before its turn comes before the response, the results of the turn after
  // it.
  const before = Math.max(events.findIndex(({ kind }) => kind.type === "llm_response"), 0);
  const results = resultsOf(events);
  const shownAbove = new Set(results.values());
  const others = (from, to) =>
    events
      .slice(from, to)
      .filter((event) => !drawnElsewhere.has(event.kind.type) && !shownAbove.has(event))
      .map((event) => (event.kind.type === "web" && drawWeb(event.kind.event, where, results.get(event)?.kind.event.results)) || drawOther(event.kind, where));
  parts.push(...others(0, before));
  const isWeb = events.some(({ kind }) => kind.type === "web");
  const hasCode = !flat && !codeless && !isWeb;
  const isAction = of("web").some(({ kind }) => kind.event.what === "json_action");
  responses.forEach(({ kind }, place) => {
    if (headOf(kind.reasoning)) parts.push(named("Reasoning", longText(kind.reasoning, where, { kind: "reasoning" })));
    // Each block that ran has an end of its own.
    const own = responses.length === 1 ? ends : ends.slice(place, place + 1);
    const codes = (own.length ? own.map((end) => end.kind.code) : [kind.code]).filter((code) => headOf(code));
    const isOpen = hasCode && !own.length && !codes.length;
    const ran = flat || codeless || isOpen ? undefined : codes;
    if (kind.truncated) parts.push(el("p", { class: "problem" }, "This response was cut off at the limit of output tokens."));
    const calls = kind.tool_calls ?? [];
    if (headOf(kind.text) || !calls.length || ran?.length) parts.push(named(flat ? "Answer" : "Response", el("div", { class: "response" }, ...((isAction && drawJsonAction(kind.text, where)) || drawResponse(kind.text, ran, where)))));
    // Completed calls and parsed envelopes are shown in full below, and code is shown as code.
    const made = new Set(of("tool_call").map((event) => event.kind.call));
    const isRead = of("web").some((event) => event.kind.event.what === "envelope" && event.kind.event.envelope);
    if (isRead && calls.length) made.add(calls[0].id);
    for (const call of ran?.length ? [] : calls.filter(({ id }) => !made.has(id))) parts.push(named(`Call of ${headOf(call.name)}${isOpen ? "" : ", not executed"}`, longText(call.arguments, where)));
  });
  const children = drawChildren(events, agentHash, agentOf);
  if (children) parts.push(children);
  for (const { kind } of of("delegation_unawaited")) {
    parts.push(named("Lost calls", el("p", { class: "error-text" }, `${plural(kind.count, "call")} never awaited`), "failed"));
  }
  for (const { kind } of of("tool_call")) parts.push(...drawCall(kind, where));
  parts.push(...others(before));
  for (const { kind } of ends) parts.push(...drawEnd(kind, where));
  // The end of each block repeats this number.
  const dropped = ends.at(-1)?.kind.dropped_blocks;
  if (dropped) parts.push(el("p", { class: "quiet" }, `${plural(dropped, "more block")} did not run.`));
  // The returned value has already been shown.
  for (const { kind } of of("message_answered")) if (kind.error || !responses.length) parts.push(drawAnswer(kind, where));
  if (hasCode && responses.length && !ends.length) parts.push(el("p", { class: "quiet" }, "The code is still running, or its end was not recorded."));
  const failed = ends.some(({ kind }) => kind.error);
  return el(
    "article",
    { class: `iteration${failed ? " has-error" : ""}`, id: `iteration-${number}`, tabindex: "-1", "data-iteration": number, "data-events": events.length, "aria-label": `Iteration ${number}` },
    el("header", null, foldButton(number), heading(number, hash, flat, messages), el("span", { class: "facts" }, facts(events, responses, ends)), copyButton(hash)),
    ...parts,
  );
}

/** Returns the button that collapses an iteration to its header. */
function foldButton(number) {
  const button = el("button", { type: "button", class: "fold", "aria-expanded": "true", "aria-label": `Iteration ${number} in full` }, "▾");
  button.addEventListener("click", () => foldIteration(button.closest("article")));
  return button;
}

/** Collapses or expands an iteration. */
export function foldIteration(article, folded = !article.classList.contains("folded")) {
  article.classList.toggle("folded", folded);
  const button = article.querySelector(".fold");
  button?.setAttribute("aria-expanded", String(!folded));
  if (button) button.textContent = folded ? "▸" : "▾";
}

function heading(number, hash, flat, messages) {
  const call = messages.length ? `Message ${messages[0].kind.number}` : "The call";
  return el("h3", null, el("a", { href: hash, class: "iteration-link" }, flat ? call : `Iteration ${number}`));
}

function copyButton(hash) {
  const button = el("button", { type: "button", class: "copy", title: "Copy a link to this iteration" }, "Copy link");
  button.addEventListener("click", async () => {
    const link = new URL(hash, location.href).href;
    try {
      await navigator.clipboard.writeText(link);
      button.textContent = "Copied";
    } catch {
      // Without permission to write to the clipboard, the address bar shows the link to copy.
      location.hash = hash;
      button.textContent = "It is in the address bar";
    }
    setTimeout(() => (button.textContent = "Copy link"), 2000);
  });
  return button;
}

/**
 * Returns the known time, tokens and cost. A recording from another system may lack all of them.
 */
function facts(events, responses, ends) {
  const known = [];
  const isKnown = (value) => value !== null && value !== undefined;
  const waits = events.filter(({ kind }) => kind.type === "llm_wait").reduce((sum, { kind }) => sum + kind.ms, 0);
  if (waits) known.push(`waited ${seconds(waits / 1000)} to be sent`);
  const model = responses.map(({ kind }) => kind.ms).filter(isKnown);
  if (model.length) known.push(`model ${seconds(model.reduce((sum, ms) => sum + ms, 0) / 1000)}`);
  for (const { kind } of ends) if (isKnown(kind.executed_ms)) known.push(`code ${seconds(kind.executed_ms / 1000)}`);
  const times = events.map((event) => event.at_ms).filter(isKnown);
  if (times.length > 1) known.push(`${seconds((times.at(-1) - times[0]) / 1000)} in all`);
  for (const { kind } of responses) {
    const used = spent(kind);
    if (used) known.push(used);
    // The server's own words.
    if (headOf(kind.finish_reason)) known.push(`ended with ${headOf(kind.finish_reason)}`);
    if (headOf(kind.request_id)) known.push(`id ${headOf(kind.request_id)}`);
  }
  return known.join(" · ");
}

/** Formats the known tokens and cost of a call. */
function spent({ usage, cost_usd: cost }) {
  const cached = usage?.cached_input_tokens ? ` (${amount(usage.cached_input_tokens)} cached)` : "";
  const tokens = usage ? `${usage.estimated ? "~" : ""}${amount(usage.input_tokens)}${cached} → ${amount(usage.output_tokens)} tokens` : "";
  const price = cost === null || cost === undefined ? "" : dollars(cost);
  return [tokens, price].filter(Boolean).join(" · ");
}

/**
 * Draws the messages sent to the model since its last turn. They are collapsed unless they contain
 * images, because most of them repeat the output above.
 */
function drawRequest(kind, where) {
  const size = kind.new_messages.reduce((sum, message) => [message.content, ...(message.tool_results ?? []).map(({ content }) => content)].reduce((sum, text) => sum + (isCut(text) ? text.bytes : text.length), sum), 0);
  const messages = kind.new_messages.flatMap((message) => [...(message.tool_results ?? []).map(({ content }) => content), message.content].filter((text, place, all) => text !== "" || all.length === 1).map((text) => longText(text, where, { kind: "message" })));
  const images = kind.new_messages.flatMap((message) => message.images ?? []).map((image) => drawImage(image, where));
  const more = images.length ? `, ${plural(images.length, "image")}` : "";
  return el("details", { class: "request", open: images.length > 0 }, el("summary", null, `Sent to the model `, el("span", { class: "facts" }, `${count(size)} characters${more}`)), el("div", { class: images.length ? "seen" : null }, el("div", null, ...messages), ...images));
}

function drawCall(kind, where) {
  const name = headOf(kind.name);
  return [named(`Call of ${name} · ${seconds(kind.ms / 1000)}`, longText(kind.arguments, where)), named(kind.is_error ? `Error of ${name}` : `Result of ${name}`, longText(kind.result === "" ? "(empty text)" : kind.result, where, kind.is_error ? { kind: "error" } : undefined), kind.is_error ? "failed" : "")];
}

function drawEnd(kind, where) {
  const parts = [];
  if (headOf(kind.output)) parts.push(named("Output", longText(kind.output, where)));
  else if (!kind.error && (kind.returned ?? null) === null && headOf(kind.code)) parts.push(el("p", { class: "quiet" }, "No output."));
  if (!headOf(kind.code)) parts.push(el("p", { class: "quiet" }, "The response contained no code to run."));
  if (kind.error) parts.push(named("Error", longText(kind.error, where, { kind: "error" }), "failed"));
  if (kind.returned !== null && kind.returned !== undefined) {
    const name = kind.intercepted ? "Returned, and shown back to the model to confirm" : "Returned";
    const grids = isCut(kind.returned) ? null : asGrids(kind.returned);
    const value = grids ? el("div", { class: "grids" }, ...grids.map((grid) => drawGrid(grid, "returned"))) : longText(kind.returned === "" ? "(empty text)" : kind.returned, where, { kind: "returned" });
    parts.push(named(name, value, kind.intercepted ? "" : "done"));
  }
  return parts;
}

function drawChildren(events, agentHash, agentOf) {
  const starts = ["delegation_spawn", "agent_created", "message_sent"];
  const spawned = events.filter((event) => starts.includes(event.kind.type));
  if (!spawned.length) return null;
  const items = spawned.map((start) => {
    const { kind, at_ms: began } = start;
    const after = events.slice(events.indexOf(start) + 1);
    const end = after.find((event) => event.kind.child === kind.child && !starts.includes(event.kind.type));
    const failed = kind.type !== "agent_created" && end?.kind.type === "delegation_error";
    const time = end ? seconds((end.at_ms - began) / 1000) : "not finished";
    const what = { delegation_spawn: `${kind.role} · ${time}`, agent_created: `${kind.role} “${headOf(kind.name)}” · takes messages`, message_sent: `a message · ${time}` }[kind.type];
    const facts = ` ${what}${failed ? ` · ${headOf(end.kind.error)}` : ""}`;
    return el("li", null, el("a", { href: agentHash(kind.child), class: failed ? "failed" : null }, el("span", { class: "id" }, kind.child), el("span", { class: "facts" }, facts), said(agentOf(kind.child))));
  });
  return named(spawned.length === 1 ? "Child" : `${spawned.length} children`, el("ul", { class: "children" }, ...items));
}

/**
 * Draws what was cut from the conversation before this request, and the summary that replaced it.
 */
function drawCompaction({ messages, chars, tokens_before: before, tokens_after: after, summary, sent_again: again }, where, agentHash) {
  const why = again ? "The model refused the conversation" : "The conversation had grown long";
  const cut = `${plural(messages.length, "older message")} with ${count(chars)} characters ${summary ? "were summarized" : "lost their output"}: ${amount(before)} → ${amount(after)} tokens.`;
  const parts = [el("p", { class: "quiet" }, `${why}. ${cut}`)];
  if (summary) parts.push(el("p", { class: "quiet" }, "Written by ", el("a", { href: agentHash(headOf(summary.child)) }, headOf(summary.child)), "."), longText(summary.text, where), longText(summary.shown, where, { kind: "message" }));
  return named("Compaction", el("div", null, ...parts));
}

/** Draws the answer to a message, for an agent that receives several. */
function drawAnswer(kind, where) {
  const said = kind.error ? longText(kind.error, where, { kind: "error" }) : longText(kind.answer || "(empty text)", where, { kind: "returned" });
  return named(`Answer to message ${kind.number}`, said, kind.error ? "failed" : "done");
}

/**
 * Draws an event without a form of its own, such as a page dump or a screenshot, field by field.
 */
function drawOther(kind, where) {
  const fields = Object.entries(kind).filter(([name, value]) => name !== "type" && value !== null && value !== "");
  const rows = fields.map(([name, value]) => {
    if (isImage(value)) return named(words(name), drawImage(value, where, { alt: words(name) }));
    const text = typeof value === "string" || isCut(value) ? value : JSON.stringify(value, null, 2);
    return named(words(name), longText(text, where));
  });
  return el("section", { class: "other" }, el("h4", { class: "kind" }, words(kind.type)), ...rows);
}

const words = (name) => {
  const text = String(name).replaceAll("_", " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
};

const named = (name, content, kind = "") => el("details", { class: `block ${kind}`, open: true }, el("summary", null, el("h4", null, name)), content);
