// Texts of any length: the beginning is shown immediately, the rest on request.

import { withColours } from "./ansi.js";
import { ask, embedded } from "./api.js";
import { withoutTurns } from "./controls.js";
import { copyText } from "./copy.js";
import { el, problem } from "./dom.js";
import { bytes, count } from "./format.js";

/** Whether the server has cut a text and returned its beginning and its position instead. */
export const isCut = (text) => text !== null && typeof text === "object" && "head" in text;

/** Returns the part of a text that is available without a request. */
export const headOf = (text) => (isCut(text) ? text.head : (text ?? ""));

/** Returns the whole text, requesting the rest if it was cut. */
export async function wholeText(text, where) {
  if (!isCut(text)) return text ?? "";
  const parts = [];
  for (let from = text.from; from !== null; ) {
    const part = await ask("text", { ...where, from, to: text.to });
    parts.push(part.text);
    from = part.next;
  }
  return parts.join("");
}

/** Number of lines shown before a text is collapsed. */
const lines = 24;

/**
 * Shows a text in a block, collapsed if it is long. `where` holds run, sample and attempt for a
 * text that was cut.
 */
export function longText(text, where, { kind = "output", draw = withColours } = {}) {
  const head = headOf(text);
  const block = el("pre", { class: kind, tabindex: "0" }, ...draw(head));
  const box = el("div", { class: "long-text" }, block);
  if (head.length > 8 && !(embedded && isCut(text))) box.append(copyText(() => wholeText(text, where)));
  const rows = head.split("\n").length;
  if (isCut(text)) {
    box.append(rest(text, where, block, box));
    if (rows > lines * 2) block.classList.add("folded");
  } else if (rows > lines + 8) {
    block.classList.add("folded");
    const button = el("button", { type: "button", class: "more" }, `Show all ${count(rows)} lines`);
    button.addEventListener("click", () => {
      const folded = block.classList.toggle("folded");
      button.textContent = folded ? `Show all ${count(rows)} lines` : "Show less";
    });
    box.append(button);
  }
  return box;
}

function rest(text, where, block, box) {
  if (embedded) return el("p", { class: "more-note" }, `The beginning of ${bytes(text.bytes)}; the rest is not part of this page.`);
  let at = text.from;
  const size = text.to - text.from;
  const button = el("button", { type: "button", class: "more" }, `Show more of ${bytes(size)}`);
  button.addEventListener("click", async () => {
    button.disabled = true;
    try {
      const part = await ask("text", { ...where, from: at, to: text.to });
      if (at === text.from) block.replaceChildren();
      block.classList.remove("folded");
      block.append(...withoutTurns(part.text));
      if (part.next === null) {
        button.remove();
      } else {
        at = part.next;
        button.disabled = false;
        button.textContent = `Show more: ${bytes(at - text.from)} of ${bytes(size)} are shown`;
      }
    } catch (error) {
      button.replaceWith(problem(error.message));
    }
  });
  box.classList.add("is-cut");
  return button;
}
