// Groups of failed attempts: one row for each kind of failure, with the cost and some of the
// attempts.

import { ask, embedded } from "./api.js";
import { el } from "./dom.js";
import { count, dollars, plural } from "./format.js";
import { attemptAddress } from "./route.js";

/** What the attempts of a group have in common, in words. */
const kinds = {
  error: "Same error",
  limit: "Same limit",
  call: "Last failed call",
  child_right: "A child was right, but the root was wrong",
  returned_early: "Returned early and stayed wrong",
  form: "Right except for its form",
  cancelled: "Stopped",
};

/** Number of rows shown initially. */
const atFirst = 8;

/**
 * Creates the section of a run. `filter(expression)` shows the attempts of a group in the table of
 * samples.
 */
export function failureGroups(run, filter) {
  const element = el("section", { class: "failures", "aria-label": "Why attempts failed" });
  let all = false;
  let stopped = false;
  let latestLoad = 0;

  async function load() {
    latestLoad += 1;
    const thisLoad = latestLoad;
    let answer;
    do {
      answer = await ask("failures", { run });
      if (stopped || thisLoad !== latestLoad) return;
      show(answer);
      if (answer.read < answer.to_read) await new Promise((done) => setTimeout(done, 100));
    } while (!embedded && answer.read < answer.to_read && !stopped && thisLoad === latestLoad);
  }

  function show({ groups, failed, unexplained, read, to_read: toRead }) {
    if (!failed) {
      element.replaceChildren();
      return;
    }
    const focused = element.contains(document.activeElement) ? document.activeElement.dataset.key : null;
    const shown = all ? groups : groups.slice(0, atFirst);
    const reading = read < toRead ? ` Reading trajectories: ${count(read)} of ${count(toRead)}.` : "";
    const rest = unexplained ? ` ${count(unexplained)} in no group.` : "";
    const more = groups.length > shown.length ? el("button", { type: "button", class: "more", onclick: () => ((all = true), show({ groups, failed, unexplained, read, to_read: toRead })) }, `Show all ${count(groups.length)} groups`) : null;
    element.replaceChildren(
      el("h2", null, "Why attempts failed"),
      el("p", { class: "quiet", role: "status" }, `${plural(failed, "attempt")} failed or ${failed === 1 ? "has" : "have"} no full score; one may be in several groups.${rest}${reading}`),
      el("ul", { class: "groups" }, ...shown.map((group) => row(group, failed))),
      ...[more].filter(Boolean),
    );
    if (focused) [...element.querySelectorAll("[data-key]")].find((one) => one.dataset.key === focused)?.focus({ preventScroll: true });
  }

  function row(group, failed) {
    const name = [el("span", { class: "group-kind" }, kinds[group.kind] ?? group.kind), group.text ? el("code", { class: "group-text" }, group.text) : null];
    const cost = group.cost_usd === null ? null : `${dollars(group.cost_usd)}${group.cost_unknown ? ` and ${count(group.cost_unknown)} unknown` : ""}`;
    const samples = group.samples.map(({ id, attempt, detail }) => el("li", null, el("a", { href: attemptAddress(run, id, attempt) }, attempt > 1 ? `${id} #${attempt}` : id), detail ? el("span", { class: "quiet" }, ` ${detail}`) : null));
    const left = group.count - group.samples.length;
    const button = embedded ? null : el("button", { type: "button", "data-key": group.key, "aria-label": `Show these: ${plural(group.count, "attempt")}`, onclick: () => filter(`why:${group.key}`) }, "Show these");
    return el(
      "li",
      { class: "group" },
      el("span", { class: "group-count" }, count(group.count)),
      el("div", { class: "group-name" }, ...name, share(group.count / failed)),
      el("span", { class: "quiet group-cost" }, cost),
      button,
      el("ul", { class: "group-samples" }, ...samples, left > 0 ? el("li", { class: "quiet" }, `and ${count(left)} more`) : null),
    );
  }

  return { element, load, stop: () => (stopped = true) };
}

/** Returns a bar filled to a share of its width. */
function share(part) {
  const bar = el("i");
  bar.style.setProperty("width", `${Math.max(1, part * 100)}%`);
  return el("span", { class: "group-share", "aria-hidden": "true" }, bar);
}
