// Highlights HTML: tags, attributes and comments, and embedded scripts as JavaScript.

import { el } from "./dom.js";
import { highlight, longest } from "./highlight.js";

const piece = /(?<comment><!-{2}[^]*?(?:-{2}>|$)|<![^>]*>?)|(?<open><\/?[A-Za-z][^\s/>]*)(?<rest>(?:"[^"]*"|'[^']*'|[^"'>])*)(?<close>>?)/g;
/**
 * The value is optional, so that a word without one is matched in one step and not retried from
 * each character.
 */
const attribute = /([^\s=/"']+)(?:(\s*=\s*)("[^"]*"?|'[^']*'?|[^\s"']+))?/g;

/** Converts a document to nodes in which syntax is highlighted. */
export function highlightHtml(text) {
  if (text.length > longest) return [text];
  const parts = [];
  let at = 0;
  piece.lastIndex = 0;
  for (let found = piece.exec(text); found; found = piece.exec(text)) {
    const { comment, open, rest, close } = found.groups;
    parts.push(text.slice(at, found.index));
    at = found.index + found[0].length;
    if (comment) {
      parts.push(el("span", { class: "js-comment" }, comment));
      continue;
    }
    parts.push(el("span", { class: "js-keyword" }, open), ...attributes(rest), el("span", { class: "js-keyword" }, close));
    const name = open.slice(1).toLowerCase();
    if (name !== "script" && name !== "style") continue;
    // The content of these elements is not HTML.
    const length = text.slice(at).search(new RegExp(`</${name}`, "i"));
    const inside = text.slice(at, length < 0 ? text.length : at + length);
    parts.push(...(name === "script" ? highlight(inside) : [inside]));
    at += inside.length;
    piece.lastIndex = at;
  }
  parts.push(text.slice(at));
  return parts;
}

function attributes(rest) {
  const parts = [];
  let at = 0;
  for (const found of rest.matchAll(attribute)) {
    const [whole, name, equals, value] = found;
    parts.push(rest.slice(at, found.index), el("span", { class: "js-known" }, name));
    if (value) parts.push(equals, el("span", { class: "js-string" }, value));
    at = found.index + whole.length;
  }
  parts.push(rest.slice(at));
  return parts;
}
