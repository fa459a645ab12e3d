// The program of an attempt whose root writes one: its newest run, next to the tree of agents that
// it started.

import { ask } from "./api.js";
import { el } from "./dom.js";
import { count } from "./format.js";
import { headOf, longText } from "./long-text.js";
import { iterationPage } from "./iterations.js";
import { codeBlock } from "./response.js";

/** Whether the root of these agents writes a program. */
export const hasProgram = (agents) => agents.some((agent) => agent.depth === 0 && agent.role === "workflow");

/**
 * Shows the newest run of the program: its code and its result. `hashOf(agent, iteration)` returns
 * the address of a run. Returns `{ element, refresh }`.
 */
export function programView(where, { hashOf }) {
  const element = el("section", { class: "program", "aria-label": "The program" });
  let known = "";

  async function refresh() {
    // There are few runs, and the last page contains the newest one.
    let page = await ask("iterations", { ...where, agent: "root", offset: 0, limit: iterationPage });
    if (page.total > iterationPage) page = await ask("iterations", { ...where, agent: "root", offset: Math.floor((page.total - 1) / iterationPage) * iterationPage, limit: iterationPage });
    const runs = page.rows.flatMap(({ number, events }) => events.filter(({ kind }) => kind.type === "iteration_end" && headOf(kind.code)).map(({ kind }) => ({ number, kind })));
    const newest = runs.at(-1);
    const state = JSON.stringify([page.total, newest?.number]);
    if (state === known) return;
    known = state;
    if (!newest) {
      element.replaceChildren(el("h2", null, "Program"), el("p", { class: "quiet" }, "No run of the program has ended yet."));
      return;
    }
    const links = runs.flatMap(({ number }) => [" ", el("a", { href: hashOf("root", number), class: "run-link" }, count(number))]);
    const { number, kind } = newest;
    const parts = [el("h2", null, `Program, run ${count(number)}`), el("p", { class: "quiet" }, "Runs:", ...links), codeBlock(kind.code, where, true)];
    if (kind.error) parts.push(longText(kind.error, where, { kind: "error" }));
    if (kind.returned !== null && kind.returned !== undefined) parts.push(el("h3", null, "Returned"), longText(kind.returned === "" ? "(empty text)" : kind.returned, where, { kind: "returned" }));
    element.replaceChildren(...parts);
  }
  return { element, refresh };
}
