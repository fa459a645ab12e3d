// Formats primitives as Node does (quoted strings, numbers, symbols), and measures the width of a text.
(internals) => {
  'use strict';

  const {
    arrayJoin, is, list, min, numberToString, regexpExec, splitOn, stringCharCodeAt, stringCodePointAt,
    stringIncludes, stringIndexOf, stringNormalize, stringPadStart, stringRepeat, stringSlice, stringToUpperCase,
    symbolToString,
  } = internals.primordials;

  // Shorter strings are never broken at their newlines.
  const SHORT_STRING = 16;
  const needsEscape = /[\x00-\x1f\x27\x5c\x7f-\x9f\ud800-\udfff]/;
  const identifier = /^[a-zA-Z_][a-zA-Z_0-9]*$/;
  const named = { __proto__: null, 8: '\\b', 9: '\\t', 10: '\\n', 12: '\\f', 13: '\\r', 92: '\\\\' };

  /** Returns the escape of one code unit, or undefined if it needs none. */
  const escapeOf = (code, quote) => {
    if (code === 39) return quote === "'" ? "\\'" : undefined;
    if (code === 92 || code < 32) {
      return named[code] ?? `\\x${stringPadStart(stringToUpperCase(numberToString(code, 16)), 2, '0')}`;
    }
    if (code >= 127 && code < 160) return `\\x${stringToUpperCase(numberToString(code, 16))}`;
    return undefined;
  };

  /** Escapes control characters, backslashes, the quote and lone surrogates. */
  const escape = (text, quote) => {
    if (regexpExec(needsEscape, text) === null) return text;
    let result = '';
    let last = 0;
    for (let i = 0; i < text.length; i++) {
      const code = stringCharCodeAt(text, i);
      let replacement;
      if (code >= 0xd800 && code <= 0xdfff) {
        if (code <= 0xdbff && i + 1 < text.length) {
          const next = stringCharCodeAt(text, i + 1);
          if (next >= 0xdc00 && next <= 0xdfff) {
            i++;
            continue;
          }
        }
        replacement = `\\u${numberToString(code, 16)}`;
      } else {
        replacement = escapeOf(code, quote);
        if (replacement === undefined) continue;
      }
      result += stringSlice(text, last, i) + replacement;
      last = i + 1;
    }
    return result + stringSlice(text, last);
  };

  /** Quotes with single quotes, or with double quotes or backticks if that avoids escapes. */
  const quote = (text) => {
    let mark = "'";
    if (stringIncludes(text, "'")) {
      if (!stringIncludes(text, '"')) mark = '"';
      else if (!stringIncludes(text, '`') && !stringIncludes(text, '${')) mark = '`';
    }
    return mark + escape(text, mark) + mark;
  };

  const groupThousands = (digits) => {
    const start = digits[0] === '-' ? 1 : 0;
    let end = digits.length;
    let result = '';
    for (; end >= start + 4; end -= 3) result = `_${stringSlice(digits, end - 3, end)}${result}`;
    return stringSlice(digits, 0, end) + result;
  };
  const groupFraction = (digits) => {
    let result = '';
    let start = 0;
    for (; start < digits.length - 3; start += 3) result += `${stringSlice(digits, start, start + 3)}_`;
    return result + stringSlice(digits, start);
  };

  /** Formats a number. `-0` keeps its sign, unless digits are grouped by underscores (`separated`). */
  const formatNumber = (number, separated) => {
    if (!separated && is(number, -0)) return '-0';
    const text = `${number}`;
    if (!separated || stringIncludes(text, 'e') || number - number !== 0) return text;
    const point = stringIndexOf(text, '.');
    if (point === -1) return groupThousands(text);
    return `${groupThousands(stringSlice(text, 0, point))}.${groupFraction(stringSlice(text, point + 1))}`;
  };

  /** Formats a BigInt, with its `n`. */
  const formatBigInt = (bigint, separated) => `${separated ? groupThousands(`${bigint}`) : `${bigint}`}n`;

  const formatString = (ctx, value) => {
    let text = value;
    let trailer = '';
    const limit = min(ctx.maxStringLength, ctx.budget.left < 0 ? 0 : ctx.budget.left);
    if (text.length > limit) {
      const remaining = text.length - limit;
      text = stringSlice(text, 0, limit);
      trailer = `... ${remaining} more character${remaining > 1 ? 's' : ''}`;
    }
    ctx.budget.left -= text.length;
    if (ctx.compact === true || text.length <= SHORT_STRING || text.length <= ctx.breakLength - ctx.indentation - 4
      || !stringIncludes(text, '\n')) {
      return ctx.stylize(quote(text), 'string') + trailer;
    }
    // One quoted string per line, joined by plus signs.
    const lines = splitOn(text, '\n');
    const quoted = list();
    for (let i = 0; i < lines.length; i++) {
      const last = i === lines.length - 1;
      if (last && lines[i] === '') break;
      quoted[i] = ctx.stylize(quote(last ? lines[i] : `${lines[i]}\n`), 'string');
    }
    return arrayJoin(quoted, ` +\n${stringRepeat(' ', ctx.indentation + 2)}`) + trailer;
  };

  /** Formats any value that is neither an object nor a function, and charges it to the budget. */
  const formatPrimitive = (ctx, value) => {
    if (typeof value === 'string') return formatString(ctx, value);
    ctx.budget.left -= 4;
    switch (typeof value) {
      case 'number': return ctx.stylize(formatNumber(value, ctx.numericSeparator), 'number');
      case 'bigint': return ctx.stylize(formatBigInt(value, ctx.numericSeparator), 'bigint');
      case 'symbol': return ctx.stylize(symbolToString(value), 'symbol');
      case 'undefined': return ctx.stylize('undefined', 'undefined');
      case 'boolean': return ctx.stylize(`${value}`, 'boolean');
      default: return ctx.stylize('null', 'null');
    }
  };

  /** Returns the name of a property as shown before the colon. */
  const formatKey = (ctx, key, enumerable) => {
    if (typeof key === 'symbol') return `[${ctx.stylize(escape(symbolToString(key), "'"), 'symbol')}]`;
    if (key === '__proto__') return "['__proto__']";
    if (!enumerable) return `[${escape(key, "'")}]`;
    if (regexpExec(identifier, key) !== null) return ctx.stylize(key, 'name');
    return ctx.stylize(quote(key), 'string');
  };

  const zeroWidth = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]$/u;
  const emoji = /^\p{Emoji_Presentation}$/u;
  // East Asian Wide and Fullwidth blocks, https://www.unicode.org/Public/UNIDATA/EastAsianWidth.txt
  const wide = [
    0x1100, 0x115f, 0x2329, 0x232a, 0x2e80, 0x303e, 0x3041, 0x3247, 0x3250, 0xa4c6, 0xa960, 0xa97c,
    0xac00, 0xd7a3, 0xf900, 0xfaff, 0xfe10, 0xfe19, 0xfe30, 0xfe6b, 0xff01, 0xff60, 0xffe0, 0xffe6, 0x16fe0, 0x18cff,
    0x1b000, 0x1b2ff, 0x1f200, 0x1f251, 0x20000, 0x3fffd,
  ];
  const isWide = (code) => {
    for (let i = 0; i < wide.length && code >= wide[i]; i += 2) if (code <= wide[i + 1]) return true;
    return false;
  };

  // Returns the index of the last character of the escape sequence that starts at an index.
  const escapeEnd = (text, start) => {
    if (text[start + 1] !== '[') return start;
    const end = stringIndexOf(text, 'm', start);
    return end === -1 ? text.length : end;
  };

  /** Returns the number of terminal columns of a text, without color escapes. */
  const textWidth = (text) => {
    let width = 0;
    for (let i = 0; i < text.length; i++) {
      const code = stringCharCodeAt(text, i);
      if (code === 27) {
        i = escapeEnd(text, i);
      } else if (code >= 127) {
        return width + wideWidth(stringNormalize(stringSlice(text, i), 'NFC'));
      } else if (code >= 32) {
        width++;
      }
    }
    return width;
  };
  const wideWidth = (text) => {
    let width = 0;
    for (let i = 0; i < text.length; i++) {
      const code = stringCodePointAt(text, i);
      if (code === 27) {
        i = escapeEnd(text, i);
        continue;
      }
      let character = text[i];
      if (code > 0xffff) {
        character = stringSlice(text, i, i + 2);
        i++;
      }
      if (code < 127) width += code >= 32 ? 1 : 0;
      else if (isWide(code) || regexpExec(emoji, character) !== null) width += 2;
      else if (code === 0xad || regexpExec(zeroWidth, character) === null) width++;
    }
    return width;
  };

  internals.strings = {
    __proto__: null, escape, formatBigInt, formatKey, formatNumber, formatPrimitive, quote, textWidth,
  };
};
