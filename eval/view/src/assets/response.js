// A model's response: prose, with highlighted code blocks.

import { el } from "./dom.js";
import { highlight } from "./highlight.js";
import { highlightHtml } from "./highlight-html.js";
import { isCut, longText } from "./long-text.js";
import { prose } from "./written.js";

const scripts = new Set(["javascript", "js", "repl", "typescript", "ts", "tsx", "jsx", "node", "mjs", "cjs", "mts"]);
const isScript = (language) => language === "" || scripts.has(language);

/** A line with a fence and what follows it. */
const fence = /^[ \t]*(`{3,}|~{3,})([^`\n]*)$/gm;
/** A fence with the rest of its line, also after other text. */
const opening = /((?<!`)`{3,}|(?<!~)~{3,}(?!~))([^`\n]*)$/gm;
/** The end of a block after its code. A fence that opens the next block is not part of it. */
const blockEnd = /\s*(?:`{3,}|~{3,})(?!\S)|(?=\s*(?:`{3}|~{3}|$))/y;

function matchAt(pattern, text, at) {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** Returns the language after a fence: its first word, as in `js title="x"` and `{.js}`. */
const languageOf = (info) => /^[{. ]*([^\s{},:=]*)/.exec(info.trim())[1].toLowerCase();

/** Whether a fence closes a block: nothing follows, or prose. */
const closes = (info) => info.trim() === "" || (/^\s+\S+\s+\S/.test(info) && !scripts.has(languageOf(info)));

/**
 * Splits a response into parts: `{ code, language, text, ran }`. `ran` contains executed code; each
 * block that is found in the response is removed from it.
 */
export function splitResponse(text, ran = []) {
  const parts = [];
  let at = 0;
  for (let found = matchAt(opening, text, at); found; found = matchAt(opening, text, Math.max(at, found.index + found[0].length))) {
    const [line, marks, info] = found;
    const language = languageOf(info);
    const from = found.index + line.length + 1;
    const isRun = (code) => typeof code === "string" && text.startsWith(code, from) && matchAt(blockEnd, text, from + code.length) !== null;
    const place = isScript(language) ? ran.findIndex(isRun) : -1;
    const lineStart = text.lastIndexOf("\n", found.index) + 1;
    const before = text.slice(lineStart, found.index);
    // After other text, a fence opens a block only if the block ran.
    if (before.trim() !== "" && (place < 0 || language === "")) continue;
    // Indentation and the marks of a quotation belong to the block.
    parts.push({ code: false, text: text.slice(at, /[^>\s]/.test(before) ? found.index : Math.max(at, lineStart)) });
    if (place >= 0) {
      const [code] = ran.splice(place, 1);
      parts.push({ code: true, language, text: code, ran: true });
      at = from + code.length + matchAt(blockEnd, text, from + code.length)[0].length;
    } else {
      const [end, next] = endOf(text, from, marks, language);
      parts.push({ code: true, language, text: text.slice(from, end).trimEnd(), ran: false });
      at = next;
    }
  }
  parts.push({ code: false, text: text.slice(at) });
  return parts.filter((part) => part.code || part.text.trim() !== "");
}

/** Returns where a block that did not run ends, and where the text after it begins. */
function endOf(text, from, marks, language) {
  for (let found = matchAt(fence, text, from); found; found = fence.exec(text)) {
    const [line, others, info] = found;
    if (others[0] !== marks[0] || others.length < marks.length) continue;
    if (closes(info)) return [found.index, found.index + line.length - info.length];
    // A block of Markdown can contain blocks.
    if (scripts.has(languageOf(info)) && language !== "markdown" && language !== "md") return [found.index, found.index];
  }
  return [text.length, text.length];
}

/**
 * Converts a response to elements. `ran`: executed code of each block, which is shown separately if
 * the response does not contain it; undefined if no code can be executed, or if it is not known what
 * was.
 */
export function drawResponse(text, ran, where) {
  const left = [...(ran ?? [])];
  const drawPart = (part) => (part.code ? codeBlock(part.text, where, part.ran || (isScript(part.language) && ran === undefined), part.language) : prose(part.text.trim()));
  const drawn = isCut(text) ? [longText(text, where, { kind: "prose" })] : splitResponse(text ?? "", left).map(drawPart);
  return [...drawn, ...left.map((code) => codeBlock(code, where, true))];
}

/** Draws a block of code, with a note if it did not run. */
export function codeBlock(code, where, ran, language = "javascript") {
  const draw = isScript(language) ? highlight : language === "html" ? highlightHtml : (text) => [text];
  const block = longText(code, where, { kind: "code", draw });
  if (!ran) block.prepend(el("span", { class: "note" }, "not run"));
  return block;
}
