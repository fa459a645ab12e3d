// AssertionError and its messages: a short comparison, or a diff of both values by line.
(internals) => {
  'use strict';

  const {
    Error, arrayJoin, customInspect, define, getPrototypeOf, max, splitOn, stringRepeat, stringSlice,
    stringStartsWith, toText,
  } = internals.primordials;
  const { wrongType } = internals.exceptions;
  const { inspect } = internals;
  const { isError } = internals.kinds;
  const { captureStackTrace } = Error;

  const headings = {
    __proto__: null,
    deepStrictEqual: 'Expected values to be strictly deep-equal:',
    strictEqual: 'Expected values to be strictly equal:',
    strictEqualObject: 'Expected "actual" to be reference-equal to "expected":',
    deepEqual: 'Expected values to be loosely deep-equal:',
    notDeepStrictEqual: 'Expected "actual" not to be strictly deep-equal to:',
    notStrictEqual: 'Expected "actual" to be strictly unequal to:',
    notStrictEqualObject: 'Expected "actual" not to be reference-equal to "expected":',
    notDeepEqual: 'Expected "actual" not to be loosely deep-equal to:',
    notIdentical: 'Values have same structure but are not reference-equal:',
    notDeepEqualUnequal: 'Expected values not to be loosely deep-equal:',
  };
  const SHORT = 12; // values with at most this total length are compared on one line
  const LINE = 80;
  const MAX_LINES = 50;
  const KEPT_LINES = 46;
  const MAX_SHOWN = 200_000;

  // Compared values must be shown completely, up to a size that exceeds any practical use.
  const show = (value) => inspect(value, {
    __proto__: null, compact: false, customInspect: false, depth: 1000, maxArrayLength: Infinity, sorted: true,
    getters: true, maxChars: MAX_SHOWN,
  });
  const isObject = (value) => typeof value === 'object' && value !== null;

  // Returns the first lines of a long text, with a mark for the rest.
  const shorten = (lines) => {
    if (lines.length > MAX_LINES) {
      lines.length = KEPT_LINES + 1;
      lines[KEPT_LINES] = '...';
    }
    return lines;
  };

  // Removes equal lines from both ends. Returns them as text (without the middle of many) and their number.
  const takeCommonEnd = (actual, expected) => {
    let text = '';
    let first = '';
    let count = 0;
    while (actual.length > 0 && expected.length > 0 && actual[actual.length - 1] === expected[expected.length - 1]) {
      const line = actual[actual.length - 1];
      if (count < 3) text = `\n  ${line}${text}`;
      else first = line;
      count++;
      actual.length--;
      expected.length--;
    }
    if (count >= 5) text = `\n...${text}`;
    if (first !== '') text = `\n  ${first}${text}`;
    return { __proto__: null, text, skipped: count >= 5 };
  };

  // Returns the lines that differ, with up to two equal lines around them.
  const diffLines = (actual, expected) => {
    const count = max(actual.length, expected.length);
    const longer = actual.length >= expected.length ? actual : expected;
    const out = { __proto__: null, text: '', printed: 0, skipped: false, pending: '', cut: false };
    let equal = 0;
    const print = (line) => {
      out.text += `\n  ${line}`;
      out.printed++;
    };
    const endEqualRun = (lines, at) => {
      if (equal === 5) print(lines[at - 3]);
      else if (equal > 5) {
        out.text += '\n...';
        out.skipped = true;
      }
      if (equal > 3) print(lines[at - 2]);
      if (equal > 2) print(lines[at - 1]);
      equal = 0;
    };
    for (let i = 0; i < count; i++) {
      if (i >= actual.length || i >= expected.length) {
        endEqualRun(longer, i);
        if (longer === actual) out.text += `\n+ ${actual[i]}`;
        else out.pending += `\n- ${expected[i]}`;
        out.printed++;
      } else {
        // Lines that differ only by a trailing comma are equal.
        const same = actual[i] === expected[i] || actual[i] === `${expected[i]},`;
        const lacksComma = !same && expected[i] === `${actual[i]},`;
        if (same || lacksComma) {
          out.text += out.pending;
          out.pending = '';
          equal++;
          if (equal <= 2) print(lacksComma ? expected[i] : actual[i]);
        } else {
          endEqualRun(actual, i);
          out.text += `\n+ ${actual[i]}`;
          out.pending += `\n- ${expected[i]}`;
          out.printed += 2;
        }
      }
      if (out.printed > MAX_LINES && i < count - 2) {
        out.cut = true;
        break;
      }
    }
    return out;
  };

  // Returns a mark under the first difference of two single lines, or ''.
  const pointer = (actual, expected) => {
    let at = 0;
    while (at < actual.length && actual[at] === expected[at]) at++;
    return at > 2 ? `\n  ${stringRepeat(' ', at)}^` : '';
  };

  const comparison = (actual, expected, operator, message) => {
    const bothObjects = (isObject(actual) && isObject(expected))
      || (typeof actual === 'function' && typeof expected === 'function');
    const byReference = operator === 'strictEqual' && bothObjects;
    const heading = message || headings[byReference ? 'strictEqualObject' : operator];
    const actualText = show(actual);
    const actualLines = splitOn(actualText, '\n');
    const expectedLines = splitOn(show(expected), '\n');
    let mark = '';
    if (actualLines.length === 1 && expectedLines.length === 1 && actualLines[0] !== expectedLines[0]) {
      const length = actualLines[0].length + expectedLines[0].length;
      if (length > SHORT) {
        if (!byReference && length < LINE) mark = pointer(actualLines[0], expectedLines[0]);
      } else if (!isObject(actual) && !isObject(expected) && (actual !== 0 || expected !== 0)) {
        return `${heading}\n\n${actualLines[0]} !== ${expectedLines[0]}\n`;
      }
    }
    const end = takeCommonEnd(actualLines, expectedLines);
    if (actualLines.length === 0 && expectedLines.length === 0) {
      return `${headings.notIdentical}\n\n${arrayJoin(shorten(splitOn(actualText, '\n')), '\n')}\n`;
    }
    const body = diffLines(actualLines, expectedLines);
    const legend = `${heading}\n+ actual - expected`;
    if (body.cut) return `${legend} ... Lines skipped\n${body.text}\n...${body.pending}\n...`;
    const note = end.skipped || body.skipped ? ' ... Lines skipped' : '';
    return `${legend}${note}\n${body.text}${body.pending}${end.text}${mark}`;
  };

  const negation = (actual, operator) => {
    const object = operator === 'notStrictEqual' && (isObject(actual) || typeof actual === 'function');
    const heading = headings[object ? 'notStrictEqualObject' : operator];
    const lines = shorten(splitOn(show(actual), '\n'));
    if (lines.length === 1) return `${heading}${lines[0].length > 5 ? '\n\n' : ' '}${lines[0]}`;
    return `${heading}\n\n${arrayJoin(lines, '\n')}\n`;
  };

  const limit = (text, length) => (text.length > length ? `${stringSlice(text, 0, length - 3)}...` : text);

  const plainMessage = (actual, expected, operator) => {
    const actualText = show(actual);
    const expectedText = show(expected);
    if (operator === 'notDeepEqual' && actualText === expectedText) {
      return limit(`${headings.notDeepEqual}\n\n${actualText}`, 1024);
    }
    const left = limit(actualText, 512);
    const right = limit(expectedText, 512);
    if (operator === 'deepEqual') return `${headings.deepEqual}\n\n${left}\n\nshould loosely deep-equal\n\n${right}`;
    const unequal = headings[`${operator}Unequal`];
    if (unequal !== undefined) return `${unequal}\n\n${left}\n\nshould not loosely deep-equal\n\n${right}`;
    return `${left} ${operator} ${right}`;
  };

  const messageFor = (actual, expected, operator, message) => {
    if (operator === 'deepStrictEqual' || operator === 'strictEqual') {
      return comparison(actual, expected, operator, message === undefined || message === null ? '' : toText(message));
    }
    if (message !== undefined && message !== null) return toText(message);
    if (operator === 'notDeepStrictEqual' || operator === 'notStrictEqual') return negation(actual, operator);
    return plainMessage(actual, expected, operator);
  };

  // Copies an error without its stack, so that errors are compared by message and not by origin.
  const withoutStack = (error) => {
    const copy = { __proto__: getPrototypeOf(error), ...error };
    define(copy, 'message', error.message);
    return copy;
  };

  class AssertionError extends Error {
    constructor(options) {
      if (!isObject(options)) throw wrongType('options', 'of type object', options);
      const { message, operator } = options;
      const bothErrors = isError(options.actual) && isError(options.expected);
      const actual = bothErrors ? withoutStack(options.actual) : options.actual;
      const expected = bothErrors ? withoutStack(options.expected) : options.expected;
      super(messageFor(actual, expected, operator, message));
      define(this, 'generatedMessage', !message, true);
      define(this, 'name', 'AssertionError [ERR_ASSERTION]');
      define(this, 'code', 'ERR_ASSERTION', true);
      define(this, 'actual', actual, true);
      define(this, 'expected', expected, true);
      define(this, 'operator', operator, true);
      captureStackTrace?.(this, options.stackStartFn);
      // The header contains the code, but the name does not. An engine may omit headers or create them lazily.
      const header = `${this.name}: ${this.message}`;
      const stack = toText(this.stack);
      define(this, 'stack', stringStartsWith(stack, header) ? stack : `${header}\n${stack}`);
      this.name = 'AssertionError';
    }

    toString() {
      return `${this.name} [${this.code}]: ${this.message}`;
    }

    [customInspect](depth, options) {
      return inspect(this, { ...options, customInspect: false, depth: 0 });
    }
  }

  internals.AssertionError = AssertionError;
};
