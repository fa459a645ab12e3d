// An agent's question and answer on one line, marked if the answer is the expected one.

import { el } from "./dom.js";
import { headOf } from "./long-text.js";

const line = (text, most) => {
  const plain = String(headOf(text) ?? "").replace(/\s+/g, " ").trim();
  return plain.length > most ? `${plain.slice(0, most)}…` : plain;
};

/** Returns `“Which …?” → 8299` and a mark, or null if no question or answer is known. */
export function said(agent, { question = true, most = 110 } = {}) {
  if (!agent) return null;
  const asked = question ? line(agent.query, most) : "";
  const answer = agent.answer === null ? (agent.error ? line(agent.error, most) : "") : line(agent.answer, most) || "(empty text)";
  if (!asked && !answer) return null;
  return el("span", { class: "said" }, asked ? el("q", null, asked) : null, answer ? [asked ? " → " : "→ ", el("span", { class: agent.answer === null ? "error-text" : "said-answer" }, answer)] : null, agent.holds ? " " : null, holdsMark(agent.holds));
}

/** Returns a mark if an answer equals or contains the expected one. */
export function holdsMark(holds) {
  if (!holds) return null;
  return el("span", { class: `holds ${holds}` }, holds === "equals" ? "= expected" : "contains the expected");
}
