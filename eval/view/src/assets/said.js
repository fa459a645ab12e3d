// What an agent was asked and what it answered, in a line; marked where it answered what was expected of the attempt.

import { el } from "./dom.js";
import { headOf } from "./long-text.js";

const line = (text, most) => {
  const plain = String(headOf(text) ?? "").replace(/\s+/g, " ").trim();
  return plain.length > most ? `${plain.slice(0, most)}…` : plain;
};

/** `“Which …?” → 8299`, and a mark. None of an agent that was asked nothing that is known. */
export function said(agent, { question = true, most = 110 } = {}) {
  if (!agent) return null;
  const asked = question ? line(agent.query, most) : "";
  const answer = agent.answer === null ? (agent.error ? line(agent.error, most) : "") : line(agent.answer, most) || "(an empty text)";
  if (!asked && !answer) return null;
  return el("span", { class: "said" }, asked ? el("q", null, asked) : null, answer ? [asked ? " → " : "→ ", el("span", { class: agent.answer === null ? "error-text" : "said-answer" }, answer)] : null, agent.holds ? " " : null, holdsMark(agent.holds));
}

/** Whether an answer is what was expected, or holds it. */
export function holdsMark(holds) {
  if (!holds) return null;
  return el("span", { class: `holds ${holds}` }, holds === "equals" ? "= expected" : "holds the expected");
}
