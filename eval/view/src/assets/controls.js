// Characters that change the text direction: invisible, they make a text read as something else.

const turning = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
const each = new RegExp(`(${turning.source})`);

const code = (character) => `U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;

/** Converts a text to nodes in which each such character is isolated and shown by its code. */
export function withoutTurns(text) {
  if (!turning.test(text)) return [text];
  return text
    .split(each)
    .filter((part) => part !== "")
    .map((part) => {
      if (!turning.test(part)) return part;
      const mark = document.createElement("span");
      mark.className = "control";
      mark.dataset.code = code(part);
      mark.textContent = part;
      return mark;
    });
}

/** Replaces each such character by its code, for places that cannot contain elements. */
export const turnsNamed = (text) => (turning.test(text) ? text.replace(new RegExp(turning.source, "g"), (found) => `[${code(found)}]`) : text);
