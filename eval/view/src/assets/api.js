// Requests data from the server, or from the exported page itself, and watches it for changes.

import { chosenScores } from "./scorers.js";

/**
 * Data of an exported page: its start address and the answer for each request. Null on a served
 * page.
 */
export const embedded = readEmbedded();

function readEmbedded() {
  const found = document.getElementById("embedded");
  return found ? JSON.parse(found.textContent) : null;
}

/**
 * Returns the answer to `api/NAME?PARAMETERS`. Throws an error with the reason if there is none.
 */
export async function ask(name, parameters = {}) {
  const given = Object.entries({ ...parameters, scores: chosenScores() }).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const query = new URLSearchParams(given).toString();
  const address = query ? `${name}?${query}` : name;
  if (embedded) {
    if (address in embedded.answers) return embedded.answers[address];
    throw new Error("This is not part of the exported page.");
  }
  const response = await fetch(`api/${address}`);
  if (!response.ok) throw new Error((await response.text()).trim());
  return response.json();
}

const pause = 1000;

/**
 * Calls `changed` whenever the server's stamp for the parameters differs from `stamp`. Returns a
 * function that stops watching.
 */
export function watch(parameters, stamp, changed) {
  if (embedded) return () => {};
  let known = stamp;
  let stopped = false;
  let timer = setTimeout(look, pause);
  async function look() {
    try {
      if (!document.hidden) {
        const now = (await ask("stamp", parameters)).stamp;
        if (stopped) return;
        if (now !== known) {
          await changed();
          // Only now, so that a failed update is repeated.
          known = now;
        }
        showLive(true);
      }
    } catch {
      if (!stopped) showLive(false);
    }
    if (!stopped) timer = setTimeout(look, pause);
  }
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}

/**
 * Calls `refresh` until `isRead()` or `isStopped()`, because each request reads only a part of a
 * long trajectory. Repeats an update that fails.
 */
export async function pollUntilRead({ isRead, isStopped, refresh }) {
  let failed = false;
  while (!isStopped() && (failed || !isRead())) {
    failed = await refresh().then(() => false, () => true);
    await new Promise((done) => setTimeout(done, failed ? pause : 150));
  }
}

function showLive(connected) {
  const place = document.getElementById("live");
  const text = connected ? "" : "not connected";
  if (place.textContent !== text) place.textContent = text;
}
