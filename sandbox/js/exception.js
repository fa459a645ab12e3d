// DOMException, Node's errors with codes, and helpers for web interfaces.
(internals) => {
  'use strict';

  const {
    Error, Map, RangeError, TypeError, define, defineProperty, descriptorOf, getOwnPropertyNames, isInteger, jsonStringify,
    mapGet, mapSet, stringEndsWith, stringIncludes, stringSlice, symbolToStringTag, toText,
  } = internals.primordials;
  const { captureStackTrace } = Error;

  // https://webidl.spec.whatwg.org/#idl-DOMException-error-names
  const codes = new Map();
  const named = [
    'IndexSizeError', 1, 'HierarchyRequestError', 3, 'WrongDocumentError', 4, 'InvalidCharacterError', 5,
    'NoModificationAllowedError', 7, 'NotFoundError', 8, 'NotSupportedError', 9, 'InUseAttributeError', 10,
    'InvalidStateError', 11, 'SyntaxError', 12, 'InvalidModificationError', 13, 'NamespaceError', 14,
    'InvalidAccessError', 15, 'TypeMismatchError', 17, 'SecurityError', 18, 'NetworkError', 19, 'AbortError', 20,
    'URLMismatchError', 21, 'QuotaExceededError', 22, 'TimeoutError', 23, 'InvalidNodeTypeError', 24,
    'DataCloneError', 25,
  ];
  for (let i = 0; i < named.length; i += 2) mapSet(codes, named[i], named[i + 1]);

  class DOMException extends Error {
    constructor(message = '', options = 'Error') {
      super(`${message}`);
      const isName = typeof options !== 'object' || options === null;
      const name = isName ? options : options.name ?? 'Error';
      define(this, 'name', `${name}`);
      if (!isName && 'cause' in options) define(this, 'cause', options.cause);
      define(this, 'code', mapGet(codes, this.name) ?? 0);
      // V8 wrote the header before the name was known.
      captureStackTrace?.(this, DOMException);
    }
  }

  /** What Node's functions reject with when an AbortSignal stops them; `cause` is the signal's reason. */
  class AbortError extends Error {
    constructor(cause) {
      super('The operation was aborted', { __proto__: null, cause });
      define(this, 'code', 'ABORT_ERR', true);
      define(this, 'name', 'AbortError', true);
    }
  }

  /** Makes the members of a class enumerable and sets its tag, as WebIDL requires of an interface. */
  const asInterface = (Interface, name) => {
    const { prototype } = Interface;
    const names = getOwnPropertyNames(prototype);
    for (let i = 0; i < names.length; i++) {
      if (names[i] === 'constructor') continue;
      const descriptor = descriptorOf(prototype, names[i]);
      descriptor.enumerable = true;
      defineProperty(prototype, names[i], descriptor);
    }
    defineProperty(prototype, symbolToStringTag, { __proto__: null, value: name, configurable: true });
    return Interface;
  };
  defineProperty(DOMException.prototype, symbolToStringTag, {
    __proto__: null, value: 'DOMException', configurable: true,
  });

  /** Creates an error with Node's `code`; `Type` is the constructor to use. */
  const coded = (Type, code, message) => {
    const error = new Type(message);
    define(error, 'code', code, true);
    return error;
  };

  /** Describes an argument for the end of a message: `an instance of Foo`, `type number (5)`. */
  const received = (value) => {
    if (value === undefined || value === null) return `${value}`;
    if (typeof value === 'function') return `function ${toText(value.name)}`;
    if (typeof value === 'object') {
      const found = internals.kinds.findConstructor(value);
      return found === null ? internals.inspect(value, { __proto__: null, depth: -1 }) : `an instance of ${found.name}`;
    }
    const text = typeof value === 'string' ? value : internals.inspect(value);
    const short = text.length > 28 ? `${stringSlice(text, 0, 25)}...` : text;
    if (typeof value !== 'string') return `type ${typeof value} (${short})`;
    return `type string (${stringIncludes(short, "'") ? jsonStringify(short) : `'${short}'`})`;
  };

  /** Creates the TypeError for an argument of the wrong type, with Node's message; `expected` is, for example, `of type string`. */
  const wrongType = (name, expected, value) => {
    let subject = `"${name}" ${stringIncludes(name, '.') ? 'property' : 'argument'}`;
    if (stringEndsWith(name, ' argument')) subject = name;
    return coded(TypeError, 'ERR_INVALID_ARG_TYPE', `The ${subject} must be ${expected}. Received ${received(value)}`);
  };

  /** Creates the TypeError for missing arguments. */
  const missing = (first, second) => coded(TypeError, 'ERR_MISSING_ARGS', second === undefined
    ? `The "${first}" argument must be specified`
    : `The "${first}" and "${second}" arguments must be specified`);

  /** Creates the RangeError for a number out of range, with Node's message. */
  const outOfRange = (name, range, value) => {
    const isLong = (typeof value === 'bigint' || isInteger(value)) && !(value >= -(2 ** 32) && value <= 2 ** 32);
    return coded(RangeError, 'ERR_OUT_OF_RANGE', `The value of "${name}" is out of range. It must be ${range}. Received ${
      internals.inspect(value, { __proto__: null, numericSeparator: isLong })}`);
  };

  internals.exceptions = {
    __proto__: null, AbortError, DOMException, asInterface, coded, missing, outOfRange, received, wrongType,
  };
  internals.globals = { DOMException };
};
