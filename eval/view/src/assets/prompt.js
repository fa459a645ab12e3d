// The exact system prompt of an agent, split into sections.

import { el } from "./dom.js";
import { count, plural } from "./format.js";
import { isCut, longText } from "./long-text.js";

/**
 * Returns the sections of a prompt: the text before the first heading, then each heading with its
 * text.
 */
export function sections(prompt) {
  const parts = prompt.split(/^(?=## )/m);
  return parts.map((text) => {
    const heading = /^## (.*)/.exec(text);
    return { name: heading ? heading[1].trim() : "Opening", text: text.replace(/\n+$/, "") };
  });
}

/**
 * Draws the prompt as a collapsed block. Its sections together are the exact prompt, except for
 * blank lines between them.
 */
export function drawPrompt(prompt, where) {
  if (isCut(prompt)) {
    return el("details", { class: "prompt" }, el("summary", null, "System prompt ", el("span", { class: "facts" }, `${count(prompt.bytes)} bytes`)), longText(prompt, where, { kind: "message" }));
  }
  const parts = sections(prompt);
  const facts = `${plural(parts.length, "section")}, ${count(prompt.length)} characters`;
  const drawn = parts.map(({ name, text }) =>
    el("details", { class: "section" }, el("summary", null, name, el("span", { class: "facts" }, ` ${count(text.length)}`)), el("pre", { class: "message", tabindex: "0" }, text)),
  );
  return el("details", { class: "prompt" }, el("summary", null, "System prompt ", el("span", { class: "facts" }, facts)), ...drawn);
}
