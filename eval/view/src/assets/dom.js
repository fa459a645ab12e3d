// Makes elements. Text is only ever inserted as text: there is no way here to insert markup.

import { turnsNamed, withoutTurns } from "./controls.js";

/** An element with attributes, `on…` listeners and children; a string child becomes a text node, null is left out. */
export function el(tag, attributes, ...children) {
  const drawing = tag === "svg" || svgTags.has(tag);
  const made = drawing ? document.createElementNS(svgSpace, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) {
      // Only functions: a string would be code.
      if (typeof value === "function") made.addEventListener(name.slice(2), value);
    } else if (name === "href") {
      // Only places within this page, whatever an id looks like.
      if (String(value).startsWith("#")) made.setAttribute("href", value);
    } else {
      made.setAttribute(name, value === true ? "" : said.has(name) ? turnsNamed(String(value)) : value);
    }
  }
  const given = children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);
  made.append(...given.flatMap((child) => (child instanceof Node ? child : drawing ? turnsNamed(String(child)) : withoutTurns(String(child)))));
  return made;
}

/** Attributes that are read out or shown on hover. */
const said = new Set(["title", "aria-label", "alt", "placeholder"]);

const svgSpace = "http://www.w3.org/2000/svg";
const svgTags = new Set(["g", "rect", "line", "circle", "text", "path", "title"]);

/** A box that says why something cannot be shown. */
export function problem(text) {
  return el("p", { class: "problem", role: "alert" }, text);
}
