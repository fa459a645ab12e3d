// Arranges the entries of an object on one line, in columns, or one per line.
(internals) => {
  'use strict';

  const {
    arrayJoin, floor, list, max, min, round, sqrt, stringIncludes, stringIndexOf, stringPadEnd, stringPadStart,
    stringRepeat,
  } = internals.primordials;
  const { textWidth } = internals.strings;

  const SEPARATOR = 2; // a comma and a space
  // Approximate ratio of the height to the width of a character.
  const CHARACTER_RATIO = 2.5;
  const MAX_COLUMNS = 15;

  /**
   * Arranges short entries of an array in columns. `source` is the array itself, whose values determine the alignment
   * (numbers are right-aligned).
   */
  const group = (ctx, output, source) => {
    // A last entry beyond the limit is the "more items" note, which is not put in a column.
    const hasNote = ctx.maxArrayLength < output.length;
    const count = hasNote ? output.length - 1 : output.length;
    const widths = list();
    let total = 0;
    let longest = 0;
    for (let i = 0; i < count; i++) {
      const width = textWidth(output[i]);
      widths[i] = width;
      total += width + SEPARATOR;
      longest = max(longest, width);
    }
    const cell = longest + SEPARATOR;
    // At least three columns must fit, and no entry may be much longer than the others.
    if (cell * 3 + ctx.indentation >= ctx.breakLength || (total / cell <= 5 && longest > 6)) return output;
    const bias = sqrt(cell - total / output.length);
    const biased = max(cell - 3 - bias, 1);
    const columns = min(
      round(sqrt(CHARACTER_RATIO * biased * count) / biased), // the sides of a square of that area
      floor((ctx.breakLength - ctx.indentation) / cell),
      ctx.compact * 4,
      MAX_COLUMNS,
    );
    if (columns <= 1) return output;
    const columnWidths = list();
    for (let column = 0; column < columns; column++) {
      let widest = 0;
      for (let i = column; i < count; i += columns) widest = max(widest, widths[i]);
      columnWidths[column] = widest + SEPARATOR;
    }
    const pad = alignsRight(source, output.length) ? stringPadStart : stringPadEnd;
    const lines = list();
    for (let start = 0; start < count; start += columns) {
      const end = min(start + columns, count);
      let line = '';
      for (let i = start; i < end - 1; i++) {
        line += pad(`${output[i]}, `, columnWidths[i - start] + output[i].length - widths[i], ' ');
      }
      const last = end - 1;
      line += pad === stringPadStart
        ? pad(output[last], columnWidths[last - start] + output[last].length - widths[last] - SEPARATOR, ' ')
        : output[last];
      lines[lines.length] = line;
    }
    if (hasNote) lines[lines.length] = output[count];
    return lines;
  };

  const alignsRight = (source, length) => {
    if (source === undefined) return true;
    for (let i = 0; i < length; i++) {
      const type = typeof source[i];
      if (type !== 'number' && type !== 'bigint') return false;
    }
    return true;
  };

  // Returns the length without color escapes.
  const visibleLength = (text) => {
    let { length } = text;
    for (let at = stringIndexOf(text, '\u001b['); at !== -1; at = stringIndexOf(text, '\u001b[', at + 1)) {
      length -= stringIndexOf(text, 'm', at) - at + 1;
    }
    return length;
  };

  const fits = (ctx, output, start, base) => {
    let total = output.length + start;
    if (total + output.length > ctx.breakLength) return false;
    for (let i = 0; i < output.length; i++) {
      total += ctx.colors ? visibleLength(output[i]) : output[i].length;
      if (total > ctx.breakLength) return false;
    }
    return base === '' || !stringIncludes(base, '\n');
  };

  /**
   * Joins the entries of one object. `base` is the text before the braces, and `depth` is the object's own depth plus
   * one. With `arrayLike`, the entries may be arranged in columns, aligned by the values of `source`.
   */
  const join = (ctx, entries, base, open, close, depth, arrayLike, source) => {
    let output = entries;
    const prefix = base === '' ? '' : `${base} `;
    if (ctx.compact === true) {
      if (fits(ctx, output, 0, base)) {
        return `${open}${base === '' ? '' : ` ${base}`} ${arrayJoin(output, ', ')} ${close}`;
      }
      const indent = stringRepeat(' ', ctx.indentation);
      const gap = base === '' && open.length === 1 ? ' ' : `${base === '' ? '' : ` ${base}`}\n${indent}  `;
      return `${open}${gap}${arrayJoin(output, `,\n${indent}  `)} ${close}`;
    }
    if (typeof ctx.compact === 'number' && ctx.compact >= 1) {
      if (arrayLike && output.length > 6) output = group(ctx, output, source);
      // Up to `compact` inner levels share a line, unless the entries are in columns.
      if (ctx.shared.currentDepth - depth < ctx.compact && output === entries) {
        const start = output.length + ctx.indentation + open.length + base.length + 10;
        if (fits(ctx, output, start, base)) {
          const joined = arrayJoin(output, ', ');
          if (!stringIncludes(joined, '\n')) return `${prefix}${open} ${joined} ${close}`;
        }
      }
    }
    const indent = `\n${stringRepeat(' ', ctx.indentation)}`;
    return `${prefix}${open}${indent}  ${arrayJoin(output, `,${indent}  `)}${indent}${close}`;
  };

  internals.layout = { __proto__: null, join };
};
