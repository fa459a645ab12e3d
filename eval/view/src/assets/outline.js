// The outline of the chosen agent's iterations: where it failed, called children, or returned.

import { el } from "./dom.js";
import { plural } from "./format.js";

/** Returns the marks of an iteration, each `[class, sign, words]`. */
const marksOf = (turn) =>
  [
    turn.errors && ["wrong", "✗", plural(turn.errors, "error")],
    turn.failed_calls && ["wrong", "↳✗", `${plural(turn.failed_calls, "call")} of children failed`],
    turn.children?.length && ["child", `↳${turn.children.length > 1 ? turn.children.length : ""}`, turn.children.length === 1 ? "a child" : `${turn.children.length} children`],
    turn.intercepted && ["unknown", "↩?", "a return that was shown back"],
    turn.returned && ["right", "↩", "returned"],
  ].filter(Boolean);

/**
 * Draws the outline. `turns` are the agent's, `hashOf(number)` returns an address, and `go(number)`
 * shows an iteration.
 */
export function drawOutline(turns, { hashOf, go }) {
  const items = turns.map((turn) => {
    const marks = marksOf(turn);
    const name = turn.to ? `${turn.number}–${turn.to}` : String(turn.number);
    const words = marks.map(([, , word]) => word).join(", ");
    const link = el("a", { href: hashOf(turn.number), "data-turn": turn.number, title: words || null }, el("span", { class: "turn" }, name), ...marks.map(([kind, sign]) => el("span", { class: `mark ${kind}`, "aria-hidden": "true" }, sign)), words ? el("span", { class: "unseen" }, words) : null);
    link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      go(turn.number);
    });
    return el("li", null, link);
  });
  return el("nav", { class: "outline", "aria-label": "Iterations" }, el("ol", null, ...items));
}

/** Marks the topmost iteration in the window. */
export function followOutline(outline, articles) {
  // Prefer the focused iteration while it is visible, because the last ones cannot scroll to the
  // top.
  const focused = articles.find((one) => one.contains(document.activeElement) && one.getBoundingClientRect().top < innerHeight && one.getBoundingClientRect().bottom > 60);
  const top = focused ?? articles.find((one) => one.getBoundingClientRect().bottom > 120);
  const number = Number(top?.dataset.iteration ?? 0);
  let current = null;
  for (const link of outline.querySelectorAll("a")) {
    if (Number(link.dataset.turn) <= number) current = link;
    link.removeAttribute("aria-current");
  }
  if (!current) return;
  current.setAttribute("aria-current", "location");
  const box = outline.querySelector("ol");
  const [from, to] = [current.offsetTop - box.offsetTop, current.offsetLeft - box.offsetLeft];
  if (from < box.scrollTop || from > box.scrollTop + box.clientHeight - 30) box.scrollTop = from - box.clientHeight / 2;
  if (to < box.scrollLeft || to > box.scrollLeft + box.clientWidth - 40) box.scrollLeft = to - box.clientWidth / 2;
}
