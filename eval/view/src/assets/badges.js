// Badges: the status of an attempt, the progress of a run, and the score of an attempt.

import { el } from "./dom.js";
import { oneScore, statusWord } from "./format.js";

/**
 * Returns the badge for the status of an attempt or agent. Without a status, it is running, or
 * stopped with its run: `runProgress` is the progress of the run.
 */
export function statusBadge(status, runProgress = "running") {
  const word = statusWord(status, runProgress === "running" ? "running" : "stopped");
  // An attempt that ended by itself may be right or wrong, so it gets no sign of success next to
  // its score.
  if (status === "ok") return el("span", { class: "quiet", title: "ended by itself" }, "ok");
  return el("span", { class: `badge ${word}` }, word);
}

/** Returns the badge for the progress of a run, or null if it is complete. */
export function progressBadge(progress) {
  if (!progress || progress === "complete") return null;
  return el("span", { class: `badge ${progress}` }, progress);
}

/** Returns the mark for the score of one attempt, with color and sign. */
export function scoreMark(value) {
  if (value === null || value === undefined) return el("span", { class: "mark unknown", title: "no score" }, "–");
  if (value >= 1) return el("span", { class: "mark right", title: "right" }, "✓");
  if (value <= 0) return el("span", { class: "mark wrong", title: "wrong" }, "✗");
  return el("span", { class: "mark partly", title: "partly right" }, oneScore(value));
}
