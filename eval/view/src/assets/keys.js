// Keys: each view says which it knows, and `?` lists them.

let known = [];

/** The keys of the view that is shown: `[keys, what they do, function]` each. */
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

/** Begins to listen. */
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
    // Arrows scroll what has the focus and can be scrolled, and Escape leaves it; elsewhere they are the view's.
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

/** Moves the focus among elements that match a selector. At an end it stays, and calls `past` with the direction. */
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
