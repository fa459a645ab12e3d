// Creates console objects, which write one finished text per call, formatted as by Node's console.
(internals) => {
  'use strict';

  const {
    Error, Map, Number, define, defineProperty, floor, hasOwn, list, mapDelete, mapGet, mapHas, mapSet, numberToFixed,
    replaceAll, splitOn, stringPadStart, stringRepeat, stringSlice, symbolToStringTag, toText,
  } = internals.primordials;
  const { formatPieces, inspectWithin, joinWithin, tableText } = internals;
  const { isOwnFrame } = internals.errors;
  const { isError } = internals.kinds;
  const { now } = internals;

  const DEFAULT_MAX_CHARS = 200_000;
  const GROUP_INDENT = 2;
  const MAX_GROUP_INDENT = 200;

  const pad = (number) => stringPadStart(`${number}`, 2, '0');

  /** Formats a duration in milliseconds as Node's timers do: `1.234ms`, `1.234s`, `2:03.456 (m:ss.mmm)`. */
  const formatTime = (duration) => {
    if (duration < 1000) return `${Number(numberToFixed(duration, 3))}ms`;
    if (duration < 60_000) return `${numberToFixed(duration / 1000, 3)}s`;
    const hours = floor(duration / 3_600_000);
    const minutes = floor((duration % 3_600_000) / 60_000);
    const parts = splitOn(numberToFixed((duration % 60_000) / 1000, 3), '.');
    const leading = hours === 0 ? `${minutes}` : `${hours}:${pad(minutes)}`;
    return `${leading}:${pad(parts[0])}.${parts[1]} (${hours === 0 ? '' : 'h:m'}m:ss.mmm)`;
  };

  const dirOptions = (options) => {
    try {
      return { __proto__: null, customInspect: false, ...options };
    } catch {
      return { __proto__: null, customInspect: false };
    }
  };

  const ownFrames = () => {
    const lines = splitOn(toText(new Error('').stack), '\n');
    let text = '';
    for (let i = 0; i < lines.length; i++) if (isOwnFrame(lines[i])) text += `\n${lines[i]}`;
    return text;
  };

  /**
   * Creates a console that calls `write(text, hidden)` once per call, with a text without a final line break and the number
   * of characters that were cut from it. With `plain`, the five log methods join `String(argument)` by spaces
   * instead of formatting. No method throws because of its arguments. A text over `internals.maxChars` is cut in the
   * middle.
   */
  const makeConsole = (write, plain) => {
    const maxChars = hasOwn(internals, 'maxChars') ? internals.maxChars : DEFAULT_MAX_CHARS;
    const counts = new Map();
    const timers = new Map();
    let indent = '';

    const emit = (text, hidden = 0) => {
      write(indent === '' ? text : indent + replaceAll(text, '\n', `\n${indent}`), hidden);
    };
    /** Writes pieces within the limit, and passes on the number of characters that were cut. */
    const emitPieces = (pieces, complete) => {
      const text = joinWithin(pieces, maxChars, complete);
      let total = 0;
      for (let i = 0; i < pieces.length; i++) total += pieces[i].length;
      emit(text, total > text.length ? total - text.length : 0);
    };
    const emitFormatted = (args) => {
      const budget = { __proto__: null, left: maxChars };
      emitPieces(formatPieces(args, undefined, budget), budget.left > 0);
    };
    const emitPlain = (args) => {
      const pieces = list();
      for (let i = 0; i < args.length; i++) {
        if (i > 0) pieces[pieces.length] = ' ';
        pieces[pieces.length] = toText(args[i]);
      }
      emitPieces(pieces, true);
    };
    const emitArguments = plain === true ? emitPlain : emitFormatted;
    const emitText = (text, budget) => {
      const pieces = list();
      pieces[0] = text;
      emitPieces(pieces, budget.left > 0);
    };

    const logTime = (method, label, data) => {
      const start = mapGet(timers, label);
      if (start === undefined) {
        emitFormatted([`Warning: No such label '${label}' for console.${method}()`]);
        return;
      }
      const args = ['%s: %s', label, formatTime(now() - start)];
      for (let i = 0; i < data.length; i++) define(args, args.length, data[i], true);
      emitFormatted(args);
    };

    const openGroup = (args) => {
      if (args.length > 0) emitArguments(args);
      if (indent.length < MAX_GROUP_INDENT) indent += stringRepeat(' ', GROUP_INDENT);
    };

    const methods = {
      log(...args) {
        emitArguments(args);
      },
      info(...args) {
        emitArguments(args);
      },
      warn(...args) {
        emitArguments(args);
      },
      error(...args) {
        emitArguments(args);
      },
      debug(...args) {
        emitArguments(args);
      },
      dirxml(...args) {
        emitArguments(args);
      },
      dir(value, options) {
        const budget = { __proto__: null, left: maxChars };
        emitText(inspectWithin(value, dirOptions(options), budget), budget);
      },
      table(data, properties) {
        if (data === null || typeof data !== 'object') {
          emitArguments([data]);
          return;
        }
        const budget = { __proto__: null, left: maxChars };
        let text;
        try {
          text = tableText(data, properties, budget);
        } catch (error) {
          if (isError(error) && error.code === 'ERR_INVALID_ARG_TYPE') throw error;
          emitFormatted([data]);
          return;
        }
        emitText(text, budget);
      },
      trace(...args) {
        const budget = { __proto__: null, left: maxChars };
        const message = joinWithin(formatPieces(args, undefined, budget), maxChars, budget.left > 0);
        emit(`Trace${message === '' ? '' : `: ${message}`}${ownFrames()}`);
      },
      assert(condition, ...args) {
        if (condition) return;
        define(args, 0, args.length === 0 ? 'Assertion failed' : `Assertion failed: ${toText(args[0])}`, true);
        emitFormatted(args);
      },
      clear() {},
      count(label = 'default') {
        const name = toText(label);
        const count = (mapGet(counts, name) ?? 0) + 1;
        mapSet(counts, name, count);
        emitFormatted([`${name}: ${count}`]);
      },
      countReset(label = 'default') {
        const name = toText(label);
        if (!mapDelete(counts, name)) emitFormatted([`Warning: Count for '${name}' does not exist`]);
      },
      group(...args) {
        openGroup(args);
      },
      groupCollapsed(...args) {
        openGroup(args);
      },
      groupEnd() {
        indent = stringSlice(indent, GROUP_INDENT);
      },
      time(label = 'default') {
        const name = toText(label);
        if (mapHas(timers, name)) {
          emitFormatted([`Warning: Label '${name}' already exists for console.time()`]);
          return;
        }
        mapSet(timers, name, now());
      },
      timeEnd(label = 'default') {
        const name = toText(label);
        logTime('timeEnd', name, []);
        mapDelete(timers, name);
      },
      timeLog(label = 'default', ...data) {
        logTime('timeLog', toText(label), data);
      },
    };
    defineProperty(methods, symbolToStringTag, { __proto__: null, value: 'console', configurable: true });
    return methods;
  };

  internals.makeConsole = makeConsole;
};
