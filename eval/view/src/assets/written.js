// Prose that a model wrote: as Markdown, or as it was written. One switch for all of it.

import { copyText } from "./copy.js";
import { el } from "./dom.js";
import { drawMarkdown } from "./markdown.js";

let rendered = true;
try {
  rendered = localStorage.getItem("markdown") !== "off";
} catch {
  // No storage: the choice lasts as long as the page.
}

const redraw = new WeakMap();

/** A text as prose. */
export function prose(text) {
  const box = el("div", { class: "written" });
  const draw = () => box.replaceChildren(rendered ? el("div", { class: "prose markdown" }, ...drawMarkdown(text)) : el("div", { class: "prose" }, text), copyText(() => text));
  redraw.set(box, draw);
  draw();
  return box;
}

/** Turns the switch, and draws again what is shown. */
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

/** The button for it. */
export function markdownSwitch() {
  return el("button", { type: "button", class: "markdown-switch", "aria-pressed": String(rendered), title: "Show what models wrote as Markdown, or as it was written (m)", onclick: turnMarkdown }, "Markdown");
}
