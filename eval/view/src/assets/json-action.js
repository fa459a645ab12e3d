// A response of the JSON action protocol: its fields separately, and an app as HTML.

import { embedded } from "./api.js";
import { el, problem } from "./dom.js";
import { bytes } from "./format.js";
import { highlightHtml } from "./highlight-html.js";
import { headOf, isCut, longText, wholeText } from "./long-text.js";

/** Converts the response to elements. Returns null for any other form of response. */
export function drawJsonAction(text, where) {
  const fields = fieldsOf(headOf(text));
  if (fields) return drawFields(fields, text, where);
  const app = isCut(text) ? beginningOfApp(text.head) : null;
  if (app === null) return null;
  const box = el("div", { class: "response" }, longText(app, where, { kind: "code", draw: highlightHtml }));
  if (embedded) {
    box.append(el("p", { class: "more-note" }, `The beginning of ${bytes(text.bytes)}; the rest is not part of this page.`));
    return [box];
  }
  const button = el("button", { type: "button", class: "more" }, `Show all of ${bytes(text.bytes)}`);
  button.addEventListener("click", async () => {
    button.disabled = true;
    try {
      const whole = await wholeText(text, where);
      box.replaceChildren(...drawFields(fieldsOf(whole) ?? { app: beginningOfApp(whole) }, whole, where));
    } catch (error) {
      button.replaceWith(problem(error.message));
    }
  });
  box.append(button);
  return [box];
}

function drawFields(fields, text, where) {
  const more = Object.entries(fields).filter(([name]) => name !== "app" && name !== "action");
  const drawn = more.map(([name, value]) => el("div", null, el("h4", null, name), longText(typeof value === "string" ? value : JSON.stringify(value, null, 2), where)));
  if (typeof fields.app === "string") drawn.push(longText(fields.app, where, { kind: "code", draw: highlightHtml }));
  drawn.push(el("details", { class: "request" }, el("summary", null, "As written"), longText(text, where)));
  return drawn;
}

/** Parses a response that is a single JSON object, with or without a code fence. */
function fieldsOf(text) {
  const inside = /^\s*(?:```\w*\s*)?(\{[^]*\})\s*(?:```)?\s*$/.exec(text);
  if (!inside) return null;
  try {
    const fields = JSON.parse(inside[1]);
    return "action" in fields ? fields : null;
  } catch {
    return null;
  }
}

/** Returns the beginning of the app in a truncated response. */
function beginningOfApp(text) {
  const found = /"app"\s*:\s*"((?:\\(?:u[\da-fA-F]{4}|[^u])|[^"\\])*)/.exec(text);
  if (!found) return null;
  try {
    // Unescaped line breaks are invalid JSON, but their meaning is clear.
    return JSON.parse(`"${found[1].replace(/[\u0000-\u001f]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`)}"`);
  } catch {
    return null;
  }
}
