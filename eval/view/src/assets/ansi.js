// Terminal colors in printed output: color sequences become styled parts of the text; all others
// are dropped.

import { el } from "./dom.js";

const sequence = /\u001b\[([\d;?]*)([A-Za-z])/g;
const names = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];

/**
 * Converts a text to nodes, colored by its escape sequences. Sequences that move the cursor are
 * dropped.
 */
export function withColours(text) {
  if (!text.includes("\u001b[")) return [text];
  const parts = [];
  let style = {};
  let at = 0;
  const add = (part) => {
    if (!part) return;
    const classes = [style.colour && `ansi-${style.colour}`, style.ground && `ansi-on-${style.ground}`, style.bold && "ansi-bold", style.faint && "ansi-faint", style.italic && "ansi-italic", style.under && "ansi-under"].filter(Boolean);
    parts.push(classes.length ? el("span", { class: classes.join(" ") }, part) : part);
  };
  for (const found of text.matchAll(sequence)) {
    add(text.slice(at, found.index));
    at = found.index + found[0].length;
    if (found[2] === "m") style = after(style, found[1].split(";").map(Number));
  }
  add(text.slice(at));
  return parts;
}

/** Returns the style after the codes of one sequence. */
function after(before, codes) {
  let style = { ...before };
  for (let place = 0; place < codes.length; place += 1) {
    const code = codes[place];
    if (code === 0) style = {};
    else if (code === 1) style.bold = true;
    else if (code === 2) style.faint = true;
    else if (code === 3) style.italic = true;
    else if (code === 4) style.under = true;
    else if (code === 22) style.bold = style.faint = false;
    else if (code === 23) style.italic = false;
    else if (code === 24) style.under = false;
    else if (code >= 30 && code <= 37) style.colour = names[code - 30];
    else if (code >= 90 && code <= 97) style.colour = names[code - 90];
    else if (code === 39) style.colour = null;
    else if (code >= 40 && code <= 47) style.ground = names[code - 40];
    else if (code >= 100 && code <= 107) style.ground = names[code - 100];
    else if (code === 49) style.ground = null;
    else if (code === 38 || code === 48) {
      // Only the first 16 of 256 colors have names; the others are ignored.
      const name = codes[place + 1] === 5 ? names[codes[place + 2] % 8] : null;
      if (name && codes[place + 2] < 16) style[code === 38 ? "colour" : "ground"] = name;
      place += codes[place + 1] === 5 ? 2 : 4;
    }
  }
  return style;
}
