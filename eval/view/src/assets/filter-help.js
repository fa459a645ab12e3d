// Help for filter expressions, shown next to the search field.

import { el } from "./dom.js";

const rows = [
  ["score<1", "scored below 1; score:none matches attempts without a score"],
  ["status:limit,error", "ok, limit, error, cancelled; separate several with commas; status!=ok"],
  ["agents>3", "also iterations, depth, delegations, calls, retries, failed (cells), attempt"],
  ["time>60s", "ms, s, m, h"],
  ["tokens>=10k", "k, m"],
  ["cost>0.1", "US dollars"],
  ["id:s-1 answer:42 expected:42 error:503", "the text contains this; = matches the whole text"],
  ["why:form", "a group of failures"],
  ["meta.length>8k", "metadata of the sample"],
  ["model:gpt run:1121 benchmark: mode: drivers:", "properties of the run"],
  ['needle "two words"', "texts in id, answer, expected or error"],
];

/** Returns the list, collapsed. */
export const filterHelp = () => el("details", { class: "fields" }, el("summary", null, "Filters"), el("dl", null, ...rows.flatMap(([term, what]) => [el("dt", null, term), el("dd", { class: "quiet" }, what)])));
