// Small marks: the status of an attempt, how far a run has come.

import { el } from "./dom.js";
import { oneScore, statusWord } from "./format.js";

/** The status of an attempt or an agent; none means that it runs. */
export function statusBadge(status) {
  const word = statusWord(status);
  // An attempt that ended by itself may be right or wrong: no mark of success beside its score.
  if (status === "ok") return el("span", { class: "quiet", title: "ended by itself" }, "ok");
  return el("span", { class: `badge ${word}` }, word);
}

/** How far a run has come; nothing for one that is complete. */
export function progressBadge(progress) {
  if (!progress || progress === "complete") return null;
  return el("span", { class: `badge ${progress}` }, progress);
}

/** The score of one attempt, right and wrong distinguished by colour and sign. */
export function scoreMark(value) {
  if (value === null || value === undefined) return el("span", { class: "mark unknown", title: "no score" }, "–");
  if (value >= 1) return el("span", { class: "mark right", title: "right" }, "✓");
  if (value <= 0) return el("span", { class: "mark wrong", title: "wrong" }, "✗");
  return el("span", { class: "mark partly", title: "partly right" }, oneScore(value));
}
