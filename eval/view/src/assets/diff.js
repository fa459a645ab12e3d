// Compares two texts line by line.

/**
 * Maximum lines of each text for a full comparison; in longer texts, everything between the common
 * start and end counts as changed.
 */
const most = 1_500;

/**
 * Returns the lines in order, each marked ` ` (in both texts), `-` (only in the first) or `+` (only
 * in the second).
 */
export function diffLines(before, after) {
  const [left, right] = [before.split("\n"), after.split("\n")];
  let head = 0;
  while (head < left.length && head < right.length && left[head] === right[head]) head += 1;
  let tail = 0;
  while (tail < left.length - head && tail < right.length - head && left.at(-1 - tail) === right.at(-1 - tail)) tail += 1;
  const same = (lines) => lines.map((line) => [" ", line]);
  return [...same(left.slice(0, head)), ...between(left.slice(head, left.length - tail), right.slice(head, right.length - tail)), ...same(tail ? left.slice(-tail) : [])];
}

/** Compares lines by their longest common subsequence. */
function between(left, right) {
  const gone = (lines) => lines.map((line) => ["-", line]);
  const added = (lines) => lines.map((line) => ["+", line]);
  if (left.length > most || right.length > most) return [...gone(left), ...added(right)];
  const width = right.length + 1;
  const lengths = new Uint16Array((left.length + 1) * width);
  for (let a = left.length - 1; a >= 0; a -= 1) for (let b = right.length - 1; b >= 0; b -= 1) lengths[a * width + b] = left[a] === right[b] ? lengths[(a + 1) * width + b + 1] + 1 : Math.max(lengths[(a + 1) * width + b], lengths[a * width + b + 1]);
  const lines = [];
  let [a, b] = [0, 0];
  while (a < left.length && b < right.length) {
    if (left[a] === right[b]) {
      lines.push([" ", left[a]]);
      a += 1;
      b += 1;
    } else if (lengths[(a + 1) * width + b] >= lengths[a * width + b + 1]) lines.push(["-", left[a++]]);
    else lines.push(["+", right[b++]]);
  }
  return [...lines, ...gone(left.slice(a)), ...added(right.slice(b))];
}
