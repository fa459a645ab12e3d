// Whose scores are shown: those of the runs, or those of a scorer that scored the answers later.

import { el } from "./dom.js";

/** Value of the parameter `scores` for the scores of a run itself. */
const recorded = "recorded";

/** Chosen scorer, or an empty text for the one that the viewer was started with. */
let chosen = "";

/** Returns the chosen scorer as a parameter of addresses and requests. */
export const chosenScores = () => chosen;

/** Chooses the scorer that the current address names. */
export function chooseScores(scorer) {
  chosen = scorer ?? "";
}

/** Draws a choice between the scorers, if there is more than one. `go` opens the same view again. */
export function scorerChoice(scorers, go) {
  if (!scorers?.later.length) return null;
  const { shown, own, later } = scorers;
  const option = (value, text, selected) => el("option", { value, selected: selected ? "" : null }, text);
  const again = (name) => (name === own ? `${name}, scored again` : name);
  const choice = el("select", { id: "scorer" }, option(recorded, own ?? "each run's own scorer", shown === null), ...later.map((name) => option(name, again(name), name === shown)));
  choice.addEventListener("change", () => {
    chosen = choice.value;
    go();
  });
  return el("p", { class: "scorers quiet" }, el("label", { for: "scorer" }, "Scores by "), choice);
}
