// A model's response: prose, with highlighted code blocks.

import { el } from "./dom.js";
import { highlight } from "./highlight.js";
import { highlightHtml } from "./highlight-html.js";
import { isCut, longText } from "./long-text.js";
import { prose } from "./written.js";

/** Splits a response into parts: `{ code, language, text }`. */
export function splitResponse(text) {
  const parts = [];
  const fence = /^(`{3,}|~{3,})([^\n`]*)\n([^]*?)(?:\n\1[ \t]*$|(?![^]))/gm;
  let at = 0;
  for (const found of text.matchAll(fence)) {
    parts.push({ code: false, text: text.slice(at, found.index) });
    parts.push({ code: true, language: found[2].trim(), text: found[3] });
    at = found.index + found[0].length;
  }
  parts.push({ code: false, text: text.slice(at) });
  return parts.filter((part) => part.code || part.text.trim() !== "");
}

const scripts = new Set(["javascript", "js", "repl"]);

/**
 * Converts a response to elements. `ran`: executed code of each block, which is shown separately if
 * the response does not contain it; undefined if code cannot be executed.
 */
export function drawResponse(text, ran, where) {
  const drawn = [];
  if (isCut(text)) {
    drawn.push(longText(text, where, { kind: "prose" }));
    for (const code of ran ?? []) drawn.push(codeBlock(code, where, true));
    return drawn;
  }
  const seen = new Set();
  for (const part of splitResponse(text ?? "")) {
    if (!part.code) {
      drawn.push(prose(part.text.trim()));
      continue;
    }
    const block = part.text.trim();
    const found = (ran ?? []).filter((code) => !isCut(code) && block !== "" && code.includes(block));
    for (const code of found) seen.add(code);
    drawn.push(codeBlock(part.text, where, found.length > 0 || (scripts.has(part.language) && ran === undefined), part.language));
  }
  for (const code of ran ?? []) if (!seen.has(code)) drawn.push(codeBlock(code, where, true));
  return drawn;
}

/** Draws a block of code, with a note if it did not run. */
export function codeBlock(code, where, ran, language = "javascript") {
  const script = language === "" || scripts.has(language);
  const draw = script ? highlight : language === "html" ? highlightHtml : (text) => [text];
  const block = longText(code, where, { kind: "code", draw });
  if (!ran) block.prepend(el("span", { class: "note" }, "not run"));
  return block;
}
