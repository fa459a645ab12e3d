// Creates elements. Text is only ever inserted as text; no function here inserts markup.

import { turnsNamed, withoutTurns } from "./controls.js";

/**
 * Creates an element with attributes, `on…` listeners and children. A string becomes a text node;
 * null is skipped.
 */
export function el(tag, attributes, ...children) {
  const drawing = tag === "svg" || svgTags.has(tag);
  const made = drawing ? document.createElementNS(svgSpace, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) {
      // Only accept functions, because a string would be code.
      if (typeof value === "function") made.addEventListener(name.slice(2), value);
    } else if (name === "href") {
      // Only link to places within this page, whatever an id looks like.
      if (String(value).startsWith("#")) made.setAttribute("href", value);
    } else {
      made.setAttribute(name, value === true ? "" : said.has(name) ? turnsNamed(String(value)) : value);
    }
  }
  const given = children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);
  made.append(...given.flatMap((child) => (child instanceof Node ? child : drawing ? turnsNamed(String(child)) : withoutTurns(String(child)))));
  return made;
}

/** Attributes that are read aloud or shown on hover. */
const said = new Set(["title", "aria-label", "alt", "placeholder"]);

const svgSpace = "http://www.w3.org/2000/svg";
const svgTags = new Set(["g", "rect", "line", "circle", "text", "path", "title"]);

/** Returns a box with an error message. */
export function problem(text) {
  return el("p", { class: "problem", role: "alert" }, text);
}

/**
 * Creates a group of buttons that can be pressed, from pairs of name and text; `toggle(name)` is called on a click.
 * `press(isPressed)` shows which are pressed. It keeps the buttons, because a click is lost if its button is replaced
 * while it is held down.
 */
export function chipGroup(label, entries, toggle) {
  const chips = entries.map(([name, text]) => el("button", { type: "button", "data-name": name, onclick: () => toggle(name) }, text));
  return {
    element: el("div", { class: "chips", role: "group", "aria-label": label }, ...chips),
    press: (isPressed) => chips.forEach((chip) => chip.setAttribute("aria-pressed", String(isPressed(chip.dataset.name)))),
  };
}
