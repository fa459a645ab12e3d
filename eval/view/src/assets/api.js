// Asks the server, or an exported page itself, for data; notifies when it has changed.

/** Data that an exported page carries: where it begins, and an answer for each address. None on a served page. */
export const embedded = readEmbedded();

function readEmbedded() {
  const found = document.getElementById("embedded");
  return found ? JSON.parse(found.textContent) : null;
}

/** The answer to `api/NAME?PARAMETERS`. Throws an error that says why there is none. */
export async function ask(name, parameters = {}) {
  const given = Object.entries(parameters).filter(([, value]) => value !== null && value !== undefined && value !== "");
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

/** Calls `changed` whenever what the parameters name is no longer as `stamp` says. Gives a function that stops it. */
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
          known = now;
          await changed();
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

function showLive(connected) {
  const place = document.getElementById("live");
  const text = connected ? "" : "not connected";
  if (place.textContent !== text) place.textContent = text;
}
