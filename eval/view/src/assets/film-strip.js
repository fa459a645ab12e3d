// A film strip: small images of what a web agent saw, turn by turn.

import { el } from "./dom.js";
import { drawImage } from "./image.js";

/** Returns the strip, or null with fewer than two images. */
export function filmStrip(turns, where, { hashOf, go }) {
  const seen = turns.filter((turn) => turn.picture);
  if (seen.length < 2) return null;
  const frames = seen.map((turn) => {
    const link = el("a", { href: hashOf(turn.number), class: turn.errors ? "frame failed" : "frame", "aria-label": `Picture of iteration ${turn.number}${turn.errors ? ", with an error" : ""}` }, drawImage(turn.picture, where, { alt: "" }), el("span", { class: "turn" }, String(turn.number), turn.errors ? el("span", { class: "mark wrong" }, " ✗") : null));
    link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      go(turn.number);
    });
    return el("li", null, link);
  });
  return el("section", { class: "film", "aria-label": "Pictures of each turn" }, el("ol", { tabindex: "0" }, ...frames));
}
