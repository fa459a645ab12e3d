// Characters that turn the direction of a text: unseen, they make it read as something that it is not.

const turning = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
const each = new RegExp(`(${turning.source})`);

const code = (character) => `U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;

/** A text as nodes in which each such character stands apart, where it turns nothing, and its code is seen. */
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

/** The same as a mere text, for where there can be no elements: each such character is replaced by its code. */
export const turnsNamed = (text) => (turning.test(text) ? text.replace(new RegExp(turning.source, "g"), (found) => `[${code(found)}]`) : text);
