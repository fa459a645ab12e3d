// Plots as small SVG drawings: intervals, stacked bars, histograms.

import { el } from "./dom.js";
import { amount, count, dollars, roundSeconds, score } from "./format.js";

/** Draws a score with its 95 % interval on an axis from `low` to `high`. */
export function intervalPlot(mean, interval, { low = 0, high = 1, width = 110 } = {}) {
  const x = (value) => ((value - low) / (high - low)) * (width - 8) + 4;
  const parts = [el("line", { x1: 4, x2: width - 4, y1: 9, y2: 9, class: "axis" })];
  if (low < 0) parts.push(el("line", { x1: x(0), x2: x(0), y1: 2, y2: 16, class: "zero" }));
  if (interval) parts.push(el("line", { x1: x(interval[0]), x2: x(interval[1]), y1: 9, y2: 9, class: "interval" }));
  if (mean !== null && mean !== undefined) parts.push(el("circle", { cx: x(mean), cy: 9, r: 4, class: "mean" }));
  return el("svg", { width, height: 18, viewBox: `0 0 ${width} 18`, class: "interval-plot", "aria-hidden": "true" }, ...parts);
}

/** Returns the interval of an estimate as a pair. */
export const intervalOf = (estimate) => (estimate?.interval ? [estimate.interval.low, estimate.interval.high] : null);

/** Placeholder for the interval of fewer than 3 independent samples. */
export const NO_INTERVAL = "no interval";

/**
 * Formats `0.650 [0.43, 0.82]`, with the brackets in a separate element so that they can be muted.
 */
export function estimateText(estimate) {
  if (!estimate) return [el("span", { class: "figure" }, "–")];
  const pair = intervalOf(estimate);
  const few = pair && estimate.clusters < 10 ? { title: "Fewer than 10 independent samples: the interval may be too narrow." } : {};
  const brackets = el("span", { class: "interval-text", ...few }, pair ? `[${pair[0].toFixed(2)}, ${pair[1].toFixed(2)}]` : NO_INTERVAL);
  return [el("span", { class: "figure" }, score(estimate.mean)), brackets];
}

/** Draws counts as parts of one bar, each `[count, class, word]`. */
export function stackedBar(parts) {
  const total = parts.reduce((sum, [number]) => sum + number, 0) || 1;
  const shown = parts.filter(([number]) => number > 0);
  const bar = el("div", { class: "stacked", "aria-hidden": "true" });
  for (const [number, kind] of shown) {
    const part = el("span", { class: `part ${kind}` });
    part.style.setProperty("flex-grow", String(number / total));
    bar.append(part);
  }
  const legend = shown.map(([number, kind, word]) => el("span", { class: "key" }, el("i", { class: `dot ${kind}` }), `${count(number)} ${word}`));
  return el("div", { class: "stacked-box" }, bar, el("div", { class: "legend" }, ...legend));
}

const units = { s: roundSeconds, $: dollars, "": amount };

/** Draws a histogram of attempts, split into right, wrong and unscored. */
export function histogram({ label, unit, bins }) {
  const [width, height] = [280, 96];
  const most = Math.max(...bins.map((bin) => bin.right + bin.wrong + bin.unscored));
  const step = width / bins.length;
  const wide = bins[0].to - bins[0].from;
  const show = (value) => (value === 0 ? "0" : (units[unit] ?? amount)(value, wide));
  const bars = bins.map((bin, place) => {
    let y = height;
    const rects = [["right", bin.right], ["wrong", bin.wrong], ["unscored", bin.unscored]].map(([kind, number]) => {
      const tall = (number / most) * (height - 4);
      y -= tall;
      return number && el("rect", { x: place * step + 1, width: Math.max(step - 2, 1), y, height: tall, class: `part ${kind}` });
    });
    // If each bin is a single whole number, name that number.
    const single = unit === "" && bin.to - bin.from === 1;
    const range = single ? show(bin.from) : `${show(bin.from)} to ${show(bin.to)}`;
    const title = `${range}: ${bin.right} right, ${bin.wrong} wrong${bin.unscored ? `, ${bin.unscored} without a score` : ""}`;
    return el("g", null, el("title", null, title), el("rect", { x: place * step, width: step, y: 0, height, class: "hit" }), ...rects.filter(Boolean));
  });
  const last = bins.at(-1);
  const whole = unit === "" && last.to - last.from === 1;
  const text = `${label} of attempts, from ${show(bins[0].from)} to ${show(whole ? last.from : last.to)}`;
  return el(
    "figure",
    { class: "plot" },
    el("figcaption", null, label),
    el("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": text, preserveAspectRatio: "none" }, ...bars, el("line", { x1: 0, x2: width, y1: height - 0.5, y2: height - 0.5, class: "axis" })),
    el("div", { class: "ends" }, el("span", null, show(bins[0].from)), el("span", null, show(whole ? last.from : last.to))),
  );
}

/** Draws scores with intervals, one line for each context length. */
export function lengthPlot(groups) {
  const rows = groups.map((group) =>
    el("div", { class: "length-row" }, el("span", { class: "label" }, amount(group.context_length)), intervalPlot(group.score?.mean, intervalOf(group.score), { width: 180 }), el("span", { class: "value" }, score(group.score?.mean))),
  );
  return el("figure", { class: "plot" }, el("figcaption", null, "Score by length of context"), ...rows);
}
