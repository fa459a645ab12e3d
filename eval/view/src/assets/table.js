// Tables with sortable columns. Each row begins with a link that the keyboard can reach.

import { el } from "./dom.js";
import { count } from "./format.js";

/**
 * Creates a table. A column is `{ key, label, cell(row), numeric?, secondary?, sortable? }`;
 * `order` is `{ key, descending }`. Pressing a heading calls `sorted(order)`.
 */
export function table({ columns, rows, order, sorted, caption, rowClass = () => "" }) {
  const head = columns.map((column) => {
    const current = order.key === column.key;
    const mark = current ? (order.descending ? " ↓" : " ↑") : "";
    const press = () => sorted({ key: column.key, descending: current ? !order.descending : Boolean(column.highFirst) });
    const inside = column.sortable === false ? column.label : el("button", { type: "button", onclick: press }, column.label, el("span", { "aria-hidden": "true" }, mark));
    const sort = current ? (order.descending ? "descending" : "ascending") : null;
    return el("th", { scope: "col", class: classes(column), "aria-sort": sort }, inside);
  });
  const draw = (some) => some.map((row) => el("tr", { class: rowClass(row) }, ...columns.map((column) => el("td", { class: classes(column) }, column.cell(row)))));
  const body = el("tbody", null, ...draw(held ? rows.slice(0, atFirst) : rows));
  if (held && rows.length > atFirst) held.push(() => body.append(...draw(rows.slice(atFirst))));
  return el("div", { class: "scroll" }, el("table", null, el("caption", { class: "unseen" }, caption), el("thead", null, el("tr", null, ...head)), body));
}

/**
 * Rows drawn for a first view: more than fit on a screen. The rest is drawn after these are
 * visible.
 */
const atFirst = 40;

/**
 * Functions that draw the remaining rows of a view that is not visible yet; null for a visible
 * view.
 */
let held = null;

/** Makes tables draw only the rows that a first view needs. */
export function holdRows() {
  held = [];
}

/** Draws the remaining rows. */
export function drawHeldRows() {
  const rest = held ?? [];
  held = null;
  for (const draw of rest) draw();
}

const classes = (column) => [column.numeric && "numeric", column.secondary && "secondary", column.kind].filter(Boolean).join(" ") || null;

/**
 * Shows an id on one line. If space is short, shows its beginning and its last characters, in which
 * ids differ.
 */
export function clipId(id, last = 8) {
  const all = [...id];
  const ends = all.length > last * 2 ? all.length - last : all.length;
  return el("span", { class: "clip-id" }, el("span", { class: "first" }, all.slice(0, ends).join("")), el("span", { class: "last" }, all.slice(ends).join("")));
}

/** Selector of the links that rows begin with. */
export const rowLinks = "a.row";

/**
 * Returns `1–100 of 5,000` with buttons for the previous and next page, or null for a single page.
 */
export function pager({ offset, shown, total, page, go, word }) {
  if (total <= page && offset === 0) return null;
  const range = shown ? `${count(offset + 1)}–${count(offset + shown)} of ${count(total)} ${word}` : `0 of ${count(total)} ${word}`;
  const step = (label, to, possible) => el("button", { type: "button", disabled: !possible, onclick: () => go(to) }, label);
  return el(
    "nav",
    { class: "pager", "aria-label": `Pages of ${word}` },
    step("← Previous", Math.max(0, offset - page), offset > 0),
    el("span", { class: "range" }, range),
    step("Next →", offset + page, offset + shown < total),
  );
}
