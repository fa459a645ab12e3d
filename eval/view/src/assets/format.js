// Formats figures for people. An unknown value is a dash.

const none = "–";

/**
 * Formats 1234567 as `1,234,567`. The browser's locales are not used, because loading them takes
 * longer than drawing a page.
 */
export const count = (number) => (number === null || number === undefined ? none : String(number).replace(/\B(?=(\d{3})+$)/g, ","));

/** Formats 12345 as `12.3k`. */
export function amount(number) {
  if (number === null || number === undefined) return none;
  const steps = [[1e9, "G"], [1e6, "M"], [1e3, "k"]];
  const step = steps.find(([size]) => number >= size * 0.9995);
  if (!step) return String(Math.round(number * 10) / 10);
  const scaled = number / step[0];
  return `${scaled < 9.95 ? scaled.toFixed(1) : Math.round(scaled)}${step[1]}`;
}

/** Formats seconds as `12 ms`, `1.2 s`, `4 min 05 s` or `2 h 10 min`. */
export function seconds(value) {
  if (value === null || value === undefined) return none;
  if (value < 0.9995) return `${Math.round(value * 1000)} ms`;
  if (value < 59.95) return `${value.toFixed(1)} s`;
  const whole = Math.round(value);
  const pair = (number) => String(number).padStart(2, "0");
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${pair(whole % 60)} s`;
  return `${Math.floor(whole / 3600)} h ${pair(Math.floor((whole % 3600) / 60))} min`;
}

const secondSteps = [10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 18000, 36000];

/** Returns the smallest round number of seconds that is at least `least`: 0.2, 5, 15, 60. */
export function roundStep(least) {
  if (!(least > 0)) return 1;
  const known = least > 5 && secondSteps.find((step) => step >= least);
  if (known) return known;
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= least * (1 - 1e-9));
}

/**
 * Formats seconds that are a multiple of `step` with as few digits as possible: `400 ms`, `1.5 s`,
 * `2 min`, `2 min 30 s`.
 */
export function roundSeconds(value, step) {
  if (value < 0.9995) return `${Number((value * 1000).toFixed(3))} ms`;
  if (value < 60) return `${value.toFixed(Math.max(0, -Math.floor(Math.log10(step) + 1e-9)))} s`;
  const whole = Math.round(value);
  const parts = [[Math.floor(whole / 3600), "h"], [Math.floor((whole % 3600) / 60), "min"], [whole % 60, "s"]];
  return parts.filter(([number]) => number).map(([number, unit]) => `${number} ${unit}`).join(" ");
}

/** Formats US dollars with the significant digits: at least three below 10 cents. */
export function dollars(value) {
  if (value === null || value === undefined) return none;
  const isSmall = value !== 0 && value < 0.1;
  return `$${value.toFixed(isSmall ? Math.max(4, Math.ceil(-Math.log10(value)) + 2) : 2)}`;
}

/** Formats a score with three decimals. */
export const score = (value) => (value === null || value === undefined ? none : value.toFixed(3));

/** Formats the score of one attempt: `1`, `0`, `0.25`. */
export const oneScore = (value) => (value === null || value === undefined ? none : String(Math.round(value * 1000) / 1000));

/** Formats a share as a percentage. */
export const percent = (share) => (share === null || share === undefined ? none : `${Math.round(share * 100)} %`);

/** Formats a difference with its sign, using a true minus. */
export function signed(value) {
  if (value === null || value === undefined) return none;
  const text = Math.abs(value).toFixed(3);
  return value > 0 ? `+${text}` : value < 0 ? `−${text}` : text;
}

/** Formats bytes as `1.2 MB`. */
export function bytes(value) {
  if (value < 1000) return `${value} bytes`;
  const units = ["kB", "MB", "GB"];
  let scaled = value / 1000;
  let unit = 0;
  while (scaled >= 999.5 && unit < units.length - 1) {
    scaled /= 1000;
    unit += 1;
  }
  return `${scaled < 9.95 ? scaled.toFixed(1) : Math.round(scaled)} ${units[unit]}`;
}

/** Formats a time as `21 Nov 2026, 12:44`, in the time zone of the browser. */
export function moment(text) {
  if (!text) return none;
  const date = new Date(text);
  const pair = (number) => String(number).padStart(2, "0");
  return `${date.getDate()} ${months[date.getMonth()]} ${date.getFullYear()}, ${pair(date.getHours())}:${pair(date.getMinutes())}`;
}

const months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/** Formats a count with its noun: `1 agent`, `2 agents`. */
export const plural = (number, word) => `${count(number)} ${word}${number === 1 ? "" : "s"}`;

/** Returns the status in words: `unended` without a status. */
export const statusWord = (status, unended = "running") => ({ ok: "ok", limit: "limit", error: "error", cancelled: "cancelled" })[status] ?? unended;
