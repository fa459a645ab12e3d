// Renders Markdown as elements. Everything ends up in text nodes: HTML in the text stays text,
// links cannot be followed, and images are not loaded.

import { el } from "./dom.js";

/** Maximum characters. A longer text is shown as written, because it is not prose. */
const longest = 100_000;

/** Maximum characters of a paragraph whose inline marks are rendered. */
const longestLine = 4_000;

/** Converts a text to elements. */
export function drawMarkdown(text) {
  if (text.length > longest) return [el("p", { class: "as-written" }, text)];
  return blocks(text.split("\n"), 0);
}

const fence = /^ {0,3}(`{3,}|~{3,})(.*)$/;
const heading = /^ {0,3}(#{1,6}) +(.*?)(?: +#+ *)?$/;
const item = /^( *)([-*+]|\d{1,9}[.)]) +(.*)$/;
const quote = /^ {0,3}> ?(.*)$/;
const rule = /^ {0,3}(?:(?:- *){3,}|(?:\* *){3,}|(?:_ *){3,})$/;
const tableRule = /^ *\|?(?: *:?-+:? *\|)+(?: *:?-+:? *)?$/;

/**
 * Converts lines to blocks. Lists and quotations nested deeper than a few levels stay as written.
 */
function blocks(lines, depth) {
  const drawn = [];
  let at = 0;
  const blank = (line) => line.trim() === "";
  const begins = (line) => fence.test(line) || heading.test(line) || rule.test(line) || (depth < 6 && (quote.test(line) || item.test(line)));
  while (at < lines.length) {
    const line = lines[at];
    let found;
    if (blank(line)) {
      at += 1;
    } else if ((found = fence.exec(line))) {
      const end = lines.findIndex((other, place) => place > at && other.trim().startsWith(found[1]) && !other.trim().replaceAll(found[1][0], ""));
      const to = end < 0 ? lines.length : end;
      drawn.push(el("pre", { class: "code", tabindex: "0" }, lines.slice(at + 1, to).join("\n")));
      at = to + 1;
    } else if ((found = heading.exec(line))) {
      // Not headings of the page, because they are not part of its outline.
      drawn.push(el("p", { class: `heading level-${found[1].length}` }, ...inline(found[2])));
      at += 1;
    } else if (rule.test(line)) {
      drawn.push(el("hr"));
      at += 1;
    } else if (depth < 6 && quote.test(line)) {
      const inside = [];
      for (; at < lines.length && (found = quote.exec(lines[at])); at += 1) inside.push(found[1]);
      drawn.push(el("blockquote", null, ...blocks(inside, depth + 1)));
    } else if (depth < 6 && item.test(line)) {
      const [list, next] = listOf(lines, at, depth);
      drawn.push(list);
      at = next;
    } else if (line.includes("|") && at + 1 < lines.length && tableRule.test(lines[at + 1]) && lines[at + 1].length < longestLine) {
      let end = at + 2;
      while (end < lines.length && lines[end].includes("|")) end += 1;
      drawn.push(table(lines.slice(at, end)));
      at = end;
    } else {
      const inside = [line];
      for (at += 1; at < lines.length && !blank(lines[at]) && !begins(lines[at]); at += 1) inside.push(lines[at]);
      drawn.push(el("p", null, ...inside.flatMap((one, place) => (place ? [el("br"), ...inline(one)] : inline(one)))));
    }
  }
  return drawn;
}

/** Returns the list that begins at a line, and the index of the line after it. */
function listOf(lines, from, depth) {
  const [, indent, mark] = item.exec(lines[from]);
  const ordered = /\d/.test(mark);
  const items = [];
  let at = from;
  while (at < lines.length) {
    const found = item.exec(lines[at]);
    if (found && found[1].length <= indent.length + 1 && /\d/.test(found[2]) === ordered) {
      if (found[1].length < indent.length) break;
      items.push([found[3]]);
    } else if (found && found[1].length <= indent.length) break;
    else if (lines[at].trim() === "") {
      // A blank line ends the list unless the list continues after it.
      const after = lines[at + 1];
      if (after === undefined || !(item.test(after) || /^ {2,}\S/.test(after))) break;
      items.at(-1).push("");
    } else if (found || /^ {2,}/.test(lines[at]) || items.at(-1).at(-1) !== "") items.at(-1).push(lines[at].replace(new RegExp(`^ {0,${indent.length + 4}}`), ""));
    else break;
    at += 1;
  }
  const start = ordered ? Number.parseInt(mark, 10) : 1;
  const drawn = items.map((inside) => {
    const parts = blocks(inside, depth + 1);
    // A single paragraph in an item is shown without paragraph spacing.
    return el("li", null, ...(parts[0]?.tagName === "P" && !parts[0].className ? [...parts[0].childNodes, ...parts.slice(1)] : parts));
  });
  return [el(ordered ? "ol" : "ul", { start: start === 1 ? null : start }, ...drawn), at];
}

function table(lines) {
  const cells = (line) => line.trim().replace(/^\|/, "").replace(/\|$/, "").split("|").map((cell) => cell.trim());
  const [head, , ...rows] = lines;
  const row = (line, tag) => el("tr", null, ...cells(line).map((cell) => el(tag, tag === "th" ? { scope: "col" } : null, ...inline(cell))));
  return el("div", { class: "scroll", tabindex: "0" }, el("table", null, el("thead", null, row(head, "th")), el("tbody", null, ...rows.map((line) => row(line, "td")))));
}

const mark = /``([^\n]+?)``|`([^`\n]+)`|\*\*([^*\n]+)\*\*|\*([^*\s](?:[^*\n]*[^*\s])?)\*|(?<![\w*])_([^_\s](?:[^_\n]*[^_\s])?)_(?!\w)|~~([^~\n]+)~~|!?\[([^\]\n]{0,300})\]\(([^)\s]{0,2000})\)/g;

/** Renders the inline marks of a line. */
function inline(text) {
  if (text.length > longestLine) return [text];
  const parts = [];
  let at = 0;
  for (const found of text.matchAll(mark)) {
    parts.push(text.slice(at, found.index));
    at = found.index + found[0].length;
    const [, long, code, bold, italic, under, struck, label, target] = found;
    if (long ?? code) parts.push(el("code", null, long ?? code));
    else if (bold) parts.push(el("strong", null, ...emphasis(bold)));
    else if (italic ?? under) parts.push(el("em", null, italic ?? under));
    else if (struck) parts.push(el("s", null, struck));
    // The target of a link is only shown: following it would be the model's decision, not the
    // reader's.
    else parts.push(label, el("span", { class: "target" }, ` (${target})`));
  }
  parts.push(text.slice(at));
  return parts;
}

const emphasis = (text) => text.split(/`([^`]+)`/).map((part, place) => (place % 2 ? el("code", null, part) : part));
