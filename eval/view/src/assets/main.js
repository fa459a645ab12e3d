// Shows the view for the current address.

import { embedded } from "./api.js";
import { compareView } from "./compare-view.js";
import { turnsNamed } from "./controls.js";
import { el, problem } from "./dom.js";
import { listenForKeys, setKeys } from "./keys.js";
import { keepAddress, parseRoute, scoresOf } from "./route.js";
import { chooseScores } from "./scorers.js";
import { pairView } from "./pair-view.js";
import { runView } from "./run-view.js";
import { runsView } from "./runs-view.js";
import { sampleView } from "./sample-view.js";
import { searchAddress, searchView } from "./search-view.js";
import { drawHeldRows, holdRows } from "./table.js";
import { startTheme } from "./theme.js";

const views = {
  runs: runsView,
  compare: compareView,
  pair: pairView,
  search: searchView,
  run: (place, route) => (route.ids.length > 1 ? sampleView(place, route) : runView(place, route)),
};

let shown = null;
let latestLoad = 0;

async function showRoute() {
  latestLoad += 1;
  const thisLoad = latestLoad;
  const hash = location.hash.length > 1 || !embedded ? location.hash : embedded.start;
  keepAddress(hash);
  holdRows();
  const route = parseRoute(hash);
  chooseScores(scoresOf(route));
  const view = views[route.view];
  shown?.stop?.();
  shown = null;
  // Draw into a separate element, so that a view that was left in the meantime cannot overwrite the
  // current one.
  const place = el("div", { class: "view" });
  const main = document.getElementById("view");
  setKeys([]);
  let result;
  const slow = setTimeout(() => thisLoad === latestLoad && main.setAttribute("aria-busy", "true"), 100);
  try {
    result = view ? await view(place, route) : { title: "Not found" };
    if (!view) place.replaceChildren(problem("This page does not exist."));
  } catch (error) {
    result = { title: "Not shown", trail: [["Not shown", null]] };
    place.replaceChildren(problem(error.message));
  }
  clearTimeout(slow);
  if (thisLoad !== latestLoad) {
    result.stop?.();
    return;
  }
  main.removeAttribute("aria-busy");
  shown = result;
  main.replaceChildren(place);
  setKeys(result.keys ?? []);
  showTrail(result.trail ?? []);
  // Search in the current run, or elsewhere in all runs.
  document.getElementById("search-link")?.setAttribute("href", searchAddress({ run: route.view === "run" ? route.ids[0] : "" }));
  document.title = turnsNamed(`${result.title} · eval`);
  const iteration = Number(route.parameters.get("iteration"));
  const target = iteration && place.querySelector(`[data-iteration="${iteration}"]`);
  if (target) {
    target.focus({ preventScroll: true });
    target.scrollIntoView({ block: "start" });
  } else {
    const chosen = place.querySelector("a.agent.chosen");
    if (route.parameters.has("agent") && chosen) chosen.focus();
    else scrollTo(0, 0);
  }
  performance.mark("shown");
  // Wait until the frame that shows the view has been drawn.
  requestAnimationFrame(() => setTimeout(() => thisLoad === latestLoad && drawHeldRows()));
}

function showTrail(trail) {
  const items = trail.map(([name, hash], place) => (hash ? el("a", { href: hash }, name) : el("span", { "aria-current": place === trail.length - 1 ? "page" : null }, name)));
  document.getElementById("trail").replaceChildren(...items);
}

startTheme();
if (embedded) {
  document.getElementById("search-link").remove();
  document.querySelector("a.home").setAttribute("href", embedded.start);
}
listenForKeys();
addEventListener("hashchange", showRoute);
showRoute();
