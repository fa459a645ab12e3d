// Highlights JavaScript with a tokenizer for comments, strings, numbers, regular expressions and
// words.

import { el } from "./dom.js";

const keywords = new Set(
  "async await break case catch class const continue debugger default delete do else export extends finally for function if import in instanceof let new of return static super switch this throw try typeof var void while with yield".split(" "),
);
const constants = new Set(["true", "false", "null", "undefined", "NaN", "Infinity"]);
const known = new Set(["rlm", "llm", "context", "console", "budget", "require", "__rlm", "__ctx"]);

const token = new RegExp(
  [
    "(?<comment>//[^\\n]*|/\\*[^]*?(?:\\*/|$))",
    "(?<string>\"(?:\\\\[^]|[^\"\\\\\\n])*\"?|'(?:\\\\[^]|[^'\\\\\\n])*'?|`(?:\\\\[^]|[^`\\\\])*`?)",
    "(?<number>\\b(?:0[xX][\\da-fA-F_]+|0[bB][01_]+|(?:\\d[\\d_]*\\.?[\\d_]*|\\.\\d[\\d_]*)(?:[eE][+-]?\\d+)?)n?\\b)",
    "(?<word>[A-Za-z_$][\\w$]*)",
    "(?<slash>/)",
  ].join("|"),
  "g",
);
const regex = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/y;

/**
 * Maximum characters of highlighted code. Longer code is shown without colors, because nobody reads
 * it that closely.
 */
export const longest = 200_000;

/** Converts code to nodes in which syntax is highlighted. */
export function highlight(code) {
  const parts = [];
  if (code.length > longest) return [code];
  let at = 0;
  // Whether a value may begin here, so that a slash begins a regular expression rather than a
  // division.
  const valueMayBegin = (end) => /(?:^|[(,=:[!&|?{};+\-*%~^<>]|\breturn|\btypeof|\bcase)\s*$/.test(code.slice(Math.max(0, end - 60), end));
  token.lastIndex = 0;
  for (let found = token.exec(code); found; found = token.exec(code)) {
    const kind = Object.keys(found.groups).find((name) => found.groups[name] !== undefined);
    let [text, shown] = [found[0], kind];
    if (kind === "slash") {
      regex.lastIndex = found.index;
      const whole = valueMayBegin(found.index) && regex.exec(code);
      if (!whole) continue;
      [text, shown] = [whole[0], "regexp"];
    } else if (kind === "word") {
      shown = keywords.has(text) ? "keyword" : constants.has(text) ? "constant" : known.has(text) ? "known" : null;
      if (shown === null) continue;
    }
    parts.push(code.slice(at, found.index), el("span", { class: `js-${shown}` }, text));
    at = found.index + text.length;
    token.lastIndex = at;
  }
  parts.push(code.slice(at));
  return parts;
}
