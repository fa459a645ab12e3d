// Buttons that copy a text unchanged.

import { el } from "./dom.js";

/** Returns a button that copies the result of `text()`, which may be a promise. */
export function copyText(text, label = "Copy the text") {
  const button = el("button", { type: "button", class: "copy-text", "aria-label": label, title: label }, "⧉");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(await text());
      button.textContent = "✓";
    } catch {
      button.textContent = "✗";
      button.title = "The browser does not let this page copy";
    }
    setTimeout(() => (button.textContent = "⧉"), 1500);
  });
  return button;
}
