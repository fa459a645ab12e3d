// Draws ARC grids in color.

import { el } from "./dom.js";

/** Parses a text that is a grid or a list of grids. Returns null for anything else. */
export function asGrids(value) {
  let parsed = value;
  if (typeof value === "string") {
    const text = value.trim();
    if (!text.startsWith("[") || text.length > 200_000) return null;
    try {
      parsed = JSON.parse(text);
    } catch {
      return null;
    }
  }
  if (isGrid(parsed)) return [parsed];
  if (Array.isArray(parsed) && parsed.length > 0 && parsed.every(isGrid)) return parsed;
  return null;
}

const mostCells = 64;

function isGrid(value) {
  const row = (cells) => Array.isArray(cells) && cells.length > 0 && cells.length <= mostCells && cells.every((cell) => Number.isInteger(cell) && cell >= 0 && cell <= 9);
  return Array.isArray(value) && value.length > 0 && value.length <= mostCells && value.every(row) && value.every((cells) => cells.length === value[0].length);
}

/** Draws a grid. Cells that differ from `other` are marked. */
export function drawGrid(grid, name, other = null) {
  const [rows, columns] = [grid.length, grid[0].length];
  const cell = Math.max(6, Math.min(24, Math.floor(320 / Math.max(rows, columns))));
  const parts = [];
  let differing = 0;
  grid.forEach((cells, y) =>
    cells.forEach((colour, x) => {
      parts.push(el("rect", { x: x * cell, y: y * cell, width: cell, height: cell, class: `cell colour-${colour}` }));
      if (other && other[y]?.[x] !== colour) {
        differing += 1;
        parts.push(el("rect", { x: x * cell + cell * 0.3, y: y * cell + cell * 0.3, width: cell * 0.4, height: cell * 0.4, class: "differs" }));
      }
    }),
  );
  const [width, height] = [columns * cell, rows * cell];
  const size = `${rows} × ${columns}`;
  const apart = differing ? `, ${differing} ${differing === 1 ? "cell differs" : "cells differ"}` : "";
  const label = `${name}: a grid of ${rows} rows and ${columns} columns${apart}`;
  const drawing = el("svg", { width, height, viewBox: `0 0 ${width} ${height}`, class: "grid", role: "img", "aria-label": label }, ...parts);
  return el("figure", { class: "grid-box" }, drawing, el("figcaption", null, `${size}${apart}`));
}
