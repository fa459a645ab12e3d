// Addresses within the page: `#/run/ID/SAMPLE/ATTEMPT?agent=root&iteration=3`.

/** The view, its ids and its parameters that an address names. */
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

/** The address of a view. Parameters without a value are left out. */
export function address(view, ids = [], parameters = {}) {
  const path = [view, ...ids].map(encodeURIComponent).join("/");
  const given = Object.entries(parameters).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const query = new URLSearchParams(given).toString();
  return `#/${path}${query ? `?${query}` : ""}`;
}

/** The address of a run. */
export const runAddress = (run, parameters) => address("run", [run], parameters);

/** The address of an attempt, and within it of an agent and an iteration. */
export const attemptAddress = (run, sample, attempt, parameters) => address("run", [run, sample, attempt], parameters);

/** The address of two attempts side by side, each `[run, sample, attempt]`. */
export const pairAddress = (one, other, parameters) => address("pair", [...one, ...other], parameters);

/** The parameters of a run's address that say which samples it lists, as one parameter of an attempt that is opened from there. */
export function listOf(parameters) {
  const { offset, ...list } = parameters;
  return address("", [], list).split("?")[1] ?? "";
}

/** Ids as one parameter. An id may hold a `/`. */
export const joined = (ids) => ids.map(encodeURIComponent).join("/");

/** Where the list of an attempt's address is: the comparison or the run, filtered and sorted as it was. */
export function listAddress(run, list) {
  const parameters = Object.fromEntries(new URLSearchParams(list ?? ""));
  if (parameters.compare) return backTo(address("compare", parameters.compare.split("/").map(decode)));
  return list ? runAddress(run, parameters) : backTo(runAddress(run));
}

/** Changes the address without a new entry in the history and without drawing the view anew. */
export function replaceAddress(hash) {
  history.replaceState(null, "", hash);
  keepAddress(hash);
}

/** The parameters with which each view was left. */
const left = new Map();

const viewOf = (hash) => {
  const { view, ids } = parseRoute(hash);
  return address(view, ids);
};

/** Keeps filter, order and place of a view for when one comes back to it. */
export function keepAddress(hash) {
  left.set(viewOf(hash), hash);
}

/** The address of a view as it was left. */
export const backTo = (hash) => left.get(viewOf(hash)) ?? hash;
