// The input of a sample: its context with a search, positions of the expected answer, grids and
// images.

import { ask } from "./api.js";
import { withColours } from "./ansi.js";
import { el, problem } from "./dom.js";
import { bytes, count, plural } from "./format.js";
import { asGrids, drawGrid } from "./grid.js";
import { drawImage } from "./image.js";
import { longText } from "./long-text.js";

/**
 * Returns the input of a sample. It is loaded when opened, because it has to be generated or read
 * again.
 */
export function inputBox({ run, sample }) {
  const inside = el("div", { class: "input-inside" });
  const box = el("details", { class: "prompt input-box" }, el("summary", null, "Input ", el("span", { class: "facts" }, "question, context, images")), inside);
  box.addEventListener("toggle", async () => {
    if (!box.open || inside.children.length) return;
    inside.replaceChildren(el("p", { class: "quiet", role: "status" }, "Reading…"));
    try {
      const input = await ask("input", { run, sample });
      inside.replaceChildren(...(input.problem ? [el("p", { class: "quiet" }, `Runs do not record the input, and it cannot be generated again here. ${input.problem}`)] : draw(input, { run, sample })));
    } catch (error) {
      inside.replaceChildren(problem(error.message));
    }
  });
  return box;
}

const named = (name, ...content) => el("section", { class: "block" }, el("h4", null, name), ...content);

function draw(input, where) {
  const parts = [named("Question", longText(input.query, {}, { kind: "message" })), ...input.follow_ups.map((text, place) => named(`Follow-up ${place + 1}`, longText(text, {}, { kind: "message" })))];
  if (input.images.length) parts.push(named("Images", ...input.images.map((image) => drawImage(image, {}))));
  if (input.context.bytes) parts.push(drawContext(input, where));
  const facts = Object.entries(input.metadata);
  if (facts.length) parts.push(named("Metadata", el("p", { class: "quiet" }, facts.map(([name, value]) => `${name} ${typeof value === "string" ? value : JSON.stringify(value)}`).join(" · "))));
  return parts;
}

function drawContext(input, where) {
  const { context } = input;
  const whole = context.next === null ? context.text : null;
  const tasks = whole && grids(whole);
  const shown = el("div");
  const show = ({ from, text, next }) =>
    shown.replaceChildren(
      ...[
        from || next ? el("p", { class: "quiet" }, `From byte ${count(from)} of ${count(context.bytes)}.`) : null,
        el("pre", { class: "message context-text", tabindex: "0" }, ...withColours(text)),
        el("div", { class: "tools" }, from ? el("button", { type: "button", onclick: () => turn(Math.max(0, from - 20_000)) }, "← Before") : null, next === null ? null : el("button", { type: "button", onclick: () => turn(next) }, "After →")),
      ].filter(Boolean),
    );
  const turn = async (at) => show(await ask("input", { ...where, at }));
  const places = el("div");
  const list = (found, word) =>
    places.replaceChildren(
      el("p", { class: "quiet", role: "status" }, found.total ? `${word} occurs at ${plural(found.total, "place")}${found.total > found.places.length ? `, of which the first ${found.places.length} are` : ""}:` : `${word} does not occur in the context.`),
      el("ol", { class: "places" }, ...found.places.map((place) => el("li", null, el("button", { type: "button", class: "place", onclick: () => turn(Math.max(0, place.at - 2000)) }, count(place.at)), " …", place.before, el("mark", null, place.found), place.after, "…"))),
    );
  const search = el("input", { type: "search", placeholder: "Search the context", "aria-label": "Search the context" });
  let waiting;
  search.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(async () => {
      const text = search.value.trim();
      if (text) list(await ask("input", { ...where, find: text }), `“${text}”`);
      else if (input.places) list(input.places, "The expected answer");
      else places.replaceChildren();
    }, 150);
  });
  if (input.places) list(input.places, "The expected answer");
  show(context);
  return named(`Context, ${bytes(context.bytes)}`, tasks ?? null, el("div", { class: "tools" }, search), places, shown);
}

/** Draws the pairs of an ARC task, or returns null for any other context. */
function grids(text) {
  let task;
  try {
    task = JSON.parse(text);
  } catch {
    return null;
  }
  const pair = (one, name) => {
    const [given, wanted] = [one?.input, one?.output].map((grid) => asGrids(grid ?? null)?.[0]);
    if (!given) return null;
    return el("div", { class: "grid-pair" }, el("h5", null, name), el("div", { class: "grids" }, drawGrid(given, `${name}, input`), ...(wanted ? [el("span", { class: "arrow", "aria-hidden": "true" }, "→"), drawGrid(wanted, `${name}, output`)] : [])));
  };
  const all = [...(Array.isArray(task?.train) ? task.train : []).map((one, place) => pair(one, `Training pair ${place + 1}`)), ...(Array.isArray(task?.test) ? task.test : []).map((one, place) => pair(typeof one === "object" && !Array.isArray(one) ? one : { input: one }, `Test ${place + 1}`))].filter(Boolean);
  return all.length ? el("div", { class: "grid-pairs" }, ...all) : null;
}
