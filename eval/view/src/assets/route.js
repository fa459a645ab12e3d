// Addresses within the page: `#/run/ID/SAMPLE/ATTEMPT?agent=root&iteration=3`.

import { chosenScores } from "./scorers.js";

/** Parses an address into its view, ids and parameters. */
export function parseRoute(hash) {
  const [path, query = ""] = hash.replace(/^#\/?/, "").split("?");
  const parts = path.split("/").filter(Boolean).map(decode);
  return { view: parts[0] ?? "runs", ids: parts.slice(1), parameters: new URLSearchParams(query) };
}

function decode(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Views of one run or of a comparison, whose scores can be chosen. */
const scored = new Set(["run", "pair", "compare"]);

/** Returns the scorer that an address names. */
export const scoresOf = ({ view, parameters }) => (scored.has(view) ? parameters.get("scores") : null);

/** Returns the address of a view. Parameters without a value are omitted. */
export function address(view, ids = [], parameters = {}) {
  const path = [view, ...ids].map(encodeURIComponent).join("/");
  const scores = scored.has(view) ? chosenScores() : "";
  const given = Object.entries({ ...parameters, scores }).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const query = new URLSearchParams(given).toString();
  return `#/${path}${query ? `?${query}` : ""}`;
}

/** Returns the address of a run. */
export const runAddress = (run, parameters) => address("run", [run], parameters);

/** Returns the address of an attempt, optionally with an agent and an iteration. */
export const attemptAddress = (run, sample, attempt, parameters) => address("run", [run, sample, attempt], parameters);

/** Returns the address of two attempts side by side, each `[run, sample, attempt]`. */
export const pairAddress = (one, other, parameters) => address("pair", [...one, ...other], parameters);

/** Encodes the parameters of a list of samples as one parameter for the attempts opened from it. */
export function listOf(parameters) {
  const { offset, ...list } = parameters;
  return address("", [], list).split("?")[1] ?? "";
}

/** Encodes ids as one parameter, because an id may contain a `/`. */
export const joined = (ids) => ids.map(encodeURIComponent).join("/");

/**
 * Returns the address of the list that an attempt was opened from: the comparison, or the run with
 * its filter and order.
 */
export function listAddress(run, list) {
  const parameters = Object.fromEntries(new URLSearchParams(list ?? ""));
  if (parameters.compare) return backTo(address("compare", parameters.compare.split("/").map(decode)));
  return list ? runAddress(run, parameters) : backTo(runAddress(run));
}

/** Changes the address without a new history entry and without drawing the view again. */
export function replaceAddress(hash) {
  history.replaceState(null, "", hash);
  keepAddress(hash);
}

/** Last address of each view, with its parameters. */
const left = new Map();

/** Last address of a list of runs, of any folder. */
let lastRuns = "#/";

const viewOf = (hash) => {
  const { view, ids, parameters } = parseRoute(hash);
  return address(view, ids, { folder: view === "runs" ? parameters.get("folder") : "" });
};

/** Remembers the filter, order and position of a view for the way back. */
export function keepAddress(hash) {
  left.set(viewOf(hash), hash);
  if (parseRoute(hash).view === "runs") lastRuns = hash;
}

/** Returns the address of the last list of runs, which may be that of a folder. */
export const backToRuns = () => lastRuns;

/** Returns the last address of a view. */
export const backTo = (hash) => left.get(viewOf(hash)) ?? hash;
