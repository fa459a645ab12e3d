// Keyboard shortcuts: each view sets its own, and `?` lists them.

let known = [];

/** Sets the shortcuts of the current view, each `[keys, description, function]`. */
export function setKeys(keys) {
  known = keys;
  const list = document.getElementById("keys");
  const shown = [...keys, [["?"], "show these keys"]];
  list.replaceChildren(
    ...shown.flatMap(([names, what]) => {
      const term = document.createElement("dt");
      term.append(...names.map((name) => Object.assign(document.createElement("kbd"), { textContent: keyName(name) })));
      return [term, Object.assign(document.createElement("dd"), { textContent: what })];
    }),
  );
}

const keyName = (name) => ({ ArrowDown: "↓", ArrowUp: "↑", ArrowLeft: "←", ArrowRight: "→", Escape: "Esc" })[name] ?? name;

/** Starts listening for keys. */
export function listenForKeys() {
  const help = document.getElementById("help");
  document.getElementById("help-button").addEventListener("click", () => help.showModal());
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || help.open) return;
    const field = event.target.closest("input:not([type=checkbox]), textarea, select");
    if (field) {
      if (event.key === "Escape") field.blur();
      return;
    }
    if (event.key === "?") {
      help.showModal();
      return;
    }
    // In a focused scrollable element, arrows scroll and Escape leaves it; elsewhere both belong to
    // the view.
    const own = event.target.matches("pre, summary, .scroll, [data-own-keys]") ? event.target : null;
    if (own && event.key.startsWith("Arrow")) return;
    if (own && event.key === "Escape") {
      own.parentElement?.closest("article, main")?.focus({ preventScroll: true });
      event.preventDefault();
      return;
    }
    const found = known.find(([names]) => names.includes(event.key));
    if (found) {
      event.preventDefault();
      found[2](event);
    }
  });
}

/**
 * Moves the focus among the elements that match a selector. At either end, calls `past` with the
 * direction instead.
 */
export function moveFocus(selector, by, past = () => {}) {
  const all = [...document.querySelectorAll(selector)];
  const at = all.indexOf(document.activeElement?.closest(selector));
  const to = at < 0 ? (by > 0 ? 0 : all.length - 1) : at + by;
  if (to < 0 || to >= all.length) {
    past(by);
    return;
  }
  all[to].focus();
  all[to].scrollIntoView({ block: "nearest" });
}
