// A model's response: prose, with highlighted code blocks.

import { el } from "./dom.js";
import { highlight } from "./highlight.js";
import { highlightHtml } from "./highlight-html.js";
import { isCut, longText, headOf } from "./long-text.js";
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
 * Converts a response to elements. `ran` is the executed code, which is shown separately if the
 * response does not contain it.
 */
export function drawResponse(text, ran, where) {
  const drawn = [];
  if (isCut(text)) {
    drawn.push(longText(text, where, { kind: "prose" }));
    if (headOf(ran)) drawn.push(codeBlock(ran, where, true));
    return drawn;
  }
  let seen = false;
  for (const part of splitResponse(text ?? "")) {
    if (!part.code) {
      drawn.push(prose(part.text.trim()));
      continue;
    }
    // If several blocks ran, `ran` is their concatenation.
    const isRan = !isCut(ran) && Boolean(ran) && part.text.trim() !== "" && ran.includes(part.text.trim());
    seen ||= isRan;
    drawn.push(codeBlock(part.text, where, isRan || (scripts.has(part.language) && ran === undefined), part.language));
  }
  if (!seen && headOf(ran)) drawn.push(codeBlock(ran, where, true));
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
