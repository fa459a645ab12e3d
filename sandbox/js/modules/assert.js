// The `assert` module.
(internals) => {
  'use strict';

  const {
    Error, TypeError, apply, define, is, keys, list, objectIsPrototypeOf, peek, regexpExec, toText,
  } = internals.primordials;
  const { coded, missing, received, wrongType } = internals.exceptions;
  const { AssertionError, inspect, isDeepEqual } = internals;
  const { isError, isInstance, kindOf } = internals.kinds;

  const isObject = (value) => typeof value === 'object' && value !== null;
  const isRegExp = (value) => isObject(value) && kindOf(value) === 'RegExp';

  /** Throws the caller's own error, or an AssertionError of the details. */
  const fail = (details) => {
    if (isError(details.message)) throw details.message;
    throw new AssertionError(details);
  };

  const checkTwo = (args) => {
    if (args.length < 2) throw missing('actual', 'expected');
  };

  // Creates an assertion of two values that holds if `holds(actual, expected)` is true.
  const comparing = (name, operator, holds) => {
    const methods = {
      [name](actual, expected, message) {
        checkTwo(arguments);
        if (!holds(actual, expected)) {
          fail({ __proto__: null, actual, expected, message, operator, stackStartFn: methods[name] });
        }
      },
    };
    return methods[name];
  };

  // `equal` is specified to use `==`.
  const looselySame = (a, b) => a == b || (a !== a && b !== b);

  const okWith = (fn, count, value, given) => {
    if (value) return;
    const generated = count === 0 || given === undefined || given === null;
    const message = count === 0 ? 'No value argument passed to `assert.ok()`' : given;
    if (isError(message)) throw message;
    const error = new AssertionError({
      __proto__: null, actual: value, expected: true, message, operator: '==', stackStartFn: fn,
    });
    error.generatedMessage = generated;
    throw error;
  };

  // ---- throws and rejects

  const nothingThrown = { __proto__: null };

  const outcomeOf = (fn) => {
    if (typeof fn !== 'function') throw wrongType('fn', 'of type function', fn);
    try {
      fn();
    } catch (error) {
      return error;
    }
    return nothingThrown;
  };

  const isThenable = (value) =>
    isObject(value) && typeof value.then === 'function' && typeof value.catch === 'function';
  const settledOutcomeOf = async (source) => {
    let promise = source;
    if (typeof source === 'function') {
      promise = source();
      if (!isThenable(promise)) {
        throw coded(TypeError, 'ERR_INVALID_RETURN_VALUE', 'Expected instance of Promise to be returned from the '
          + `"promiseFn" function but got ${received(promise)}.`);
      }
    } else if (!isThenable(source)) {
      throw wrongType('promiseFn', 'of type function or an instance of Promise', source);
    }
    try {
      await promise;
    } catch (error) {
      return error;
    }
    return nothingThrown;
  };

  const throwGenerated = (actual, expected, message, generatedMessage, fn) => {
    const error = new AssertionError({
      __proto__: null, actual, expected, message: generatedMessage, operator: fn.name, stackStartFn: fn,
    });
    error.generatedMessage = !message;
    throw error;
  };

  const matchesRegExp = (actual, expected, message, fn) => {
    const text = toText(actual);
    if (regexpExec(expected, text) !== null) return;
    const pattern = inspect(expected);
    const mismatch = `The input did not match the regular expression ${pattern}. Input:\n\n${inspect(text)}\n`;
    throwGenerated(actual, expected, message, message || mismatch, fn);
  };

  // An object with some keys of another, for a comparison; a matching RegExp is replaced by the matched text.
  class Comparison {
    constructor(source, names, actual) {
      for (let i = 0; i < names.length; i++) {
        const name = names[i];
        if (!(name in source)) continue;
        const matched = actual !== undefined && typeof actual[name] === 'string' && isRegExp(source[name])
          && regexpExec(source[name], actual[name]) !== null;
        define(this, name, matched ? actual[name] : source[name], true);
      }
    }
  }

  const matchesObject = (actual, expected, message, fn) => {
    const names = list();
    const own = keys(expected);
    for (let i = 0; i < own.length; i++) names[i] = own[i];
    if (isError(expected)) {
      names[names.length] = 'name';
      names[names.length] = 'message';
    } else if (names.length === 0) {
      throw coded(TypeError, 'ERR_INVALID_ARG_VALUE',
        `The argument 'error' may not be an empty object. Received ${inspect(expected)}`);
    }
    for (let i = 0; i < names.length; i++) {
      const name = names[i];
      const wanted = expected[name];
      if (typeof actual[name] === 'string' && isRegExp(wanted) && regexpExec(wanted, actual[name]) !== null) continue;
      if (name in actual && isDeepEqual(actual[name], wanted, true)) continue;
      if (message) fail({ __proto__: null, actual, expected, message, operator: fn.name, stackStartFn: fn });
      const error = new AssertionError({
        __proto__: null, actual: new Comparison(actual, names), expected: new Comparison(expected, names, actual),
        operator: 'deepStrictEqual', stackStartFn: fn,
      });
      error.actual = actual;
      error.expected = expected;
      error.operator = fn.name;
      throw error;
    }
  };

  const classMismatch = (actual, expected) => {
    let text = `The error is expected to be an instance of "${expected.name}". Received `;
    if (!isError(actual)) return `${text}"${inspect(actual, { __proto__: null, depth: -1 })}"`;
    const name = peek(actual.constructor, 'name') || actual.name;
    text += expected.name === name ? 'an error with identical name but a different prototype.' : `"${toText(name)}"`;
    return actual.message ? `${text}\n\nError message:\n\n${toText(actual.message)}` : text;
  };

  const matchesFunction = (actual, expected, message, fn) => {
    if (expected.prototype !== undefined && isInstance(actual, expected)) return;
    if (objectIsPrototypeOf(Error, expected)) {
      throwGenerated(actual, expected, message, message || classMismatch(actual, expected), fn);
    }
    const result = apply(expected, {}, [actual]);
    if (result === true) return;
    const name = expected.name ? `"${toText(expected.name)}" ` : '';
    let text = `The ${name}validation function is expected to return "true". Received ${inspect(result)}`;
    if (isError(actual)) text += `\n\nCaught error:\n\n${toText(actual)}`;
    throwGenerated(actual, expected, message, message || text, fn);
  };

  const wrongExpectation = (error) =>
    wrongType('error', 'of type function or an instance of Error, RegExp, or Object', error);

  // `count` arguments follow the function: an expectation and a message, or only a message.
  const expectError = (fn, actual, count, first, second) => {
    let error = first;
    let message = second;
    if (typeof error === 'string') {
      if (count > 1) throw wrongExpectation(error);
      const thrown = isObject(actual) ? peek(actual, 'message') : actual;
      if (thrown === error) {
        throw coded(TypeError, 'ERR_AMBIGUOUS_ARGUMENT', isObject(actual)
          ? `The "error/message" argument is ambiguous. The error message "${error}" is identical to the message.`
          : `The "error/message" argument is ambiguous. The error "${error}" is identical to the message.`);
      }
      message = error;
      error = undefined;
    }
    const usable = error === undefined || error === null || isObject(error) || typeof error === 'function';
    if (!usable) throw wrongExpectation(error);
    if (actual === nothingThrown) {
      const kind = fn === members.rejects ? 'rejection' : 'exception';
      const name = error && error.name ? ` (${toText(error.name)})` : '';
      fail({
        __proto__: null, actual: undefined, expected: error, operator: fn.name, stackStartFn: fn,
        message: `Missing expected ${kind}${name}${message ? `: ${toText(message)}` : '.'}`,
      });
    }
    if (!error) return;
    if (typeof error === 'function') {
      matchesFunction(actual, error, message, fn);
    } else if (isRegExp(error)) {
      matchesRegExp(actual, error, message, fn);
    } else if (!isObject(actual)) {
      const mismatch = new AssertionError({
        __proto__: null, actual, expected: error, message, operator: 'deepStrictEqual', stackStartFn: fn,
      });
      mismatch.operator = fn.name;
      throw mismatch;
    } else {
      matchesObject(actual, error, message, fn);
    }
  };

  const isUnwanted = (actual, error) => {
    if (typeof error === 'function') {
      if (error.prototype !== undefined && isInstance(actual, error)) return true;
      return !objectIsPrototypeOf(Error, error) && apply(error, {}, [actual]) === true;
    }
    if (isRegExp(error)) return regexpExec(error, `${actual}`) !== null;
    throw wrongType('expected', 'of type function or an instance of RegExp', error);
  };

  const expectNoError = (fn, actual, first, second) => {
    if (actual === nothingThrown) return;
    const onlyMessage = typeof first === 'string';
    const error = onlyMessage ? undefined : first;
    const message = onlyMessage ? first : second;
    if (error && !isUnwanted(actual, error)) throw actual;
    const kind = fn === members.doesNotReject ? 'rejection' : 'exception';
    fail({
      __proto__: null, actual, expected: error, operator: fn.name, stackStartFn: fn,
      message: `Got unwanted ${kind}${message ? `: ${toText(message)}` : '.'}\n`
        + `Actual message: "${toText(actual && peek(actual, 'message'))}"`,
    });
  };

  const matchWith = (fn, wanted, text, pattern, given) => {
    if (!isRegExp(pattern)) throw wrongType('regexp', 'an instance of RegExp', pattern);
    if (typeof text === 'string' && (regexpExec(pattern, text) !== null) === wanted) return;
    if (isError(given)) throw given;
    const expectation = wanted ? 'The input did not match' : 'The input was expected to not match';
    const message = typeof text === 'string'
      ? `${expectation} the regular expression ${inspect(pattern)}. Input:\n\n${inspect(text)}\n`
      : `The "string" argument must be of type string. Received type ${typeof text} (${inspect(text)})`;
    throwGenerated(text, pattern, given, given || message, fn);
  };

  // ---- the exports

  function assert(value, message) {
    okWith(assert, arguments.length, value, message);
  }

  const members = {
    AssertionError,
    fail(message) {
      if (isError(message)) throw message;
      const generated = message === undefined || message === null;
      const error = new AssertionError({
        __proto__: null, message: generated ? 'Failed' : message, operator: 'fail', stackStartFn: members.fail,
      });
      if (generated) error.generatedMessage = true;
      throw error;
    },
    ok(value, message) {
      okWith(members.ok, arguments.length, value, message);
    },
    equal: comparing('equal', '==', looselySame),
    notEqual: comparing('notEqual', '!=', (a, b) => !looselySame(a, b)),
    strictEqual: comparing('strictEqual', 'strictEqual', is),
    notStrictEqual: comparing('notStrictEqual', 'notStrictEqual', (a, b) => !is(a, b)),
    deepEqual: comparing('deepEqual', 'deepEqual', (a, b) => isDeepEqual(a, b, false)),
    notDeepEqual: comparing('notDeepEqual', 'notDeepEqual', (a, b) => !isDeepEqual(a, b, false)),
    deepStrictEqual: comparing('deepStrictEqual', 'deepStrictEqual', (a, b) => isDeepEqual(a, b, true)),
    notDeepStrictEqual: comparing('notDeepStrictEqual', 'notDeepStrictEqual', (a, b) => !isDeepEqual(a, b, true)),
    throws(fn, error, message) {
      expectError(members.throws, outcomeOf(fn), arguments.length - 1, error, message);
    },
    async rejects(promise, error, message) {
      const actual = await settledOutcomeOf(promise);
      expectError(members.rejects, actual, arguments.length - 1, error, message);
    },
    doesNotThrow(fn, error, message) {
      expectNoError(members.doesNotThrow, outcomeOf(fn), error, message);
    },
    async doesNotReject(promise, error, message) {
      expectNoError(members.doesNotReject, await settledOutcomeOf(promise), error, message);
    },
    ifError(error) {
      if (error === null || error === undefined) return;
      const message = isObject(error) && typeof error.message === 'string' ? error.message : inspect(error);
      fail({
        __proto__: null, actual: error, expected: null, operator: 'ifError', stackStartFn: members.ifError,
        message: `ifError got unwanted exception: ${message}`,
      });
    },
    match(text, pattern, message) {
      matchWith(members.match, true, text, pattern, message);
    },
    doesNotMatch(text, pattern, message) {
      matchWith(members.doesNotMatch, false, text, pattern, message);
    },
  };

  const exportTo = (target, source) => {
    const names = keys(source);
    for (let i = 0; i < names.length; i++) define(target, names[i], source[names[i]], true);
  };
  exportTo(assert, members);

  internals.defineModule('assert', () => {
    function strict(value, message) {
      okWith(strict, arguments.length, value, message);
    }
    exportTo(strict, members);
    exportTo(strict, {
      equal: members.strictEqual,
      notEqual: members.notStrictEqual,
      deepEqual: members.deepStrictEqual,
      notDeepEqual: members.notDeepStrictEqual,
      strict,
    });
    define(assert, 'strict', strict, true);
    return assert;
  });
  internals.defineModule('assert/strict', () => internals.require('assert').strict);
};
