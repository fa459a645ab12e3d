// Prose written by models, rendered as Markdown or shown as written. One switch controls all of it.

import { copyText } from "./copy.js";
import { el } from "./dom.js";
import { drawMarkdown } from "./markdown.js";

let rendered = true;
try {
  rendered = localStorage.getItem("markdown") !== "off";
} catch {
  // Without storage, the choice lasts as long as the page.
}

const redraw = new WeakMap();

/** Draws a text as prose. */
export function prose(text) {
  const box = el("div", { class: "written" });
  const draw = () => box.replaceChildren(rendered ? el("div", { class: "prose markdown" }, ...drawMarkdown(text)) : el("div", { class: "prose" }, text), copyText(() => text));
  redraw.set(box, draw);
  draw();
  return box;
}

/** Toggles the switch and redraws all prose. */
export function turnMarkdown() {
  rendered = !rendered;
  try {
    localStorage.setItem("markdown", rendered ? "on" : "off");
  } catch {
    // As above.
  }
  for (const box of document.querySelectorAll(".written")) redraw.get(box)?.();
  for (const button of document.querySelectorAll(".markdown-switch")) button.setAttribute("aria-pressed", String(rendered));
}

/** Returns the button for the switch. */
export function markdownSwitch() {
  return el("button", { type: "button", class: "markdown-switch", "aria-pressed": String(rendered), title: "Switch between rendered Markdown and its source (m)", onclick: turnMarkdown }, "Markdown");
}
