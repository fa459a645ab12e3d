// Joins console arguments as Node's util.format does, and cuts a long text in the middle.
(internals) => {
  'use strict';

  const {
    Number, arrayJoin, floor, jsonStringify, list, parseFloat, parseInt, peek, stringIndexOf, stringSlice, toText,
  } = internals.primordials;
  const { inspectWithin } = internals;
  const { hasBuiltinToString, isError } = internals.kinds;
  const { formatBigInt, formatNumber } = internals.strings;

  const firstLine = (text) => {
    const end = stringIndexOf(text, '\n');
    return end === -1 ? text : stringSlice(text, 0, end);
  };
  const errorLine = (error) => (isError(error) ? firstLine(toText(peek(error, 'message', ''))) : '');
  const circularMessage = (() => {
    const object = {};
    object.object = object;
    try {
      return jsonStringify(object);
    } catch (error) {
      return errorLine(error);
    }
  })();

  const jsonText = (value) => {
    try {
      return jsonStringify(value);
    } catch (error) {
      const message = errorLine(error);
      return message === circularMessage ? '[Circular]' : `<JSON.stringify threw (${message})>`;
    }
  };

  const withOptions = (options, extra) => ({ __proto__: null, ...options, ...extra });

  const stringDirective = (value, options, budget) => {
    if (typeof value === 'number') return formatNumber(value, false);
    if (typeof value === 'bigint') return formatBigInt(value, false);
    let builtin = false;
    try {
      builtin = typeof value === 'object' && value !== null && hasBuiltinToString(value);
    } catch {
      builtin = true;
    }
    if (!builtin) return toText(value);
    return inspectWithin(value, withOptions(options, { depth: 0, colors: false, compact: 3 }), budget);
  };

  const numberDirective = (value, convert) => {
    if (typeof value === 'bigint') return formatBigInt(value, false);
    if (typeof value === 'symbol') return 'NaN';
    try {
      return formatNumber(convert(value), false);
    } catch {
      return 'NaN';
    }
  };

  // One handler per letter after the percent sign; each returns the text of its argument.
  const directives = {
    __proto__: null,
    s: stringDirective,
    d: (value) => numberDirective(value, Number),
    i: (value) => numberDirective(value, parseInt),
    f: (value) => (typeof value === 'bigint' ? formatNumber(parseFloat(`${value}`), false)
      : numberDirective(value, parseFloat)),
    j: jsonText,
    O: (value, options, budget) => inspectWithin(value, options, budget),
    o: (value, options, budget) =>
      inspectWithin(value, withOptions(options, { showHidden: true, showProxy: true, depth: 4 }), budget),
    c: () => '',
  };

  /** Returns the pieces of one console line, in order; `budget` limits the text of objects. */
  const formatPieces = (args, options, budget) => {
    const pieces = list();
    const add = (text) => {
      if (text !== '') pieces[pieces.length] = text;
    };
    const first = args[0];
    let next = 0;
    let separator = '';
    if (typeof first === 'string' && args.length > 1) {
      let copied = 0;
      let used = 1;
      let at = stringIndexOf(first, '%');
      while (at !== -1 && at < first.length - 1) {
        const letter = first[at + 1];
        if (letter === '%') {
          add(stringSlice(first, copied, at + 1));
          copied = at + 2;
        } else if (used < args.length && directives[letter] !== undefined) {
          add(stringSlice(first, copied, at));
          add(`${directives[letter](args[used], options, budget)}`);
          used++;
          copied = at + 2;
        }
        at = stringIndexOf(first, '%', at + 2);
      }
      if (copied !== 0) {
        add(stringSlice(first, copied));
        next = used;
        separator = ' ';
      }
    }
    for (; next < args.length; next++) {
      add(separator);
      add(typeof args[next] === 'string' ? args[next] : inspectWithin(args[next], options, budget));
      separator = ' ';
    }
    return pieces;
  };

  const unbounded = () => ({ __proto__: null, left: Infinity });

  /** `formatWithOptions(inspectOptions, ...args)`. */
  function formatWithOptions(options, ...args) {
    return arrayJoin(formatPieces(args, options, unbounded()), '');
  }

  /** `format(...args)`: printf-like directives in a leading string, then the other arguments. */
  function format(...args) {
    return arrayJoin(formatPieces(args, undefined, unbounded()), '');
  }

  const headOf = (pieces, length) => {
    const taken = list();
    let missing = length;
    for (let i = 0; missing > 0; i++) {
      taken[i] = stringSlice(pieces[i], 0, missing);
      missing -= taken[i].length;
    }
    return arrayJoin(taken, '');
  };
  const tailOf = (pieces, length) => {
    let text = '';
    for (let i = pieces.length - 1; text.length < length; i--) {
      const missing = length - text.length;
      text = (pieces[i].length > missing ? stringSlice(pieces[i], -missing) : pieces[i]) + text;
    }
    return text;
  };

  /**
   * Joins pieces into one text of at most `maxChars` characters and a note. A longer text is cut in the middle, and the
   * note states its full length. If `complete` is false, values were already shortened, so that length is a lower bound.
   */
  const joinWithin = (pieces, maxChars, complete) => {
    let total = 0;
    for (let i = 0; i < pieces.length; i++) total += pieces[i].length;
    if (total <= maxChars) return arrayJoin(pieces, '');
    const head = floor(maxChars / 2);
    const length = complete ? `${total}` : `more than ${total}`;
    const note = `\n... [${total - maxChars} characters cut here; the whole text has ${length}] ...\n`;
    return headOf(pieces, head) + note + tailOf(pieces, maxChars - head);
  };

  internals.format = format;
  internals.formatWithOptions = formatWithOptions;
  internals.formatPieces = formatPieces;
  internals.joinWithin = joinWithin;
};
