// The `util` module.
(internals) => {
  'use strict';

  const {
    Error, Promise, append, apply, asyncFunctionPrototype, asyncGeneratorFunctionPrototype, customPromisify, define,
    defineProperty, descriptorOf, generatorFunctionPrototype, generatorPrototype, getOwnPropertyNames, getPrototypeOf,
    isArray, isView, objectToString, promiseResolve, promiseThen, setPrototypeOf, stringCharCodeAt, stringIndexOf,
    stringSlice, stringToWellFormed, typedArrayName,
  } = internals.primordials;
  const { coded, wrongType } = internals.exceptions;
  const { format, formatWithOptions, globals, inspect, isDeepEqual, isProxy } = internals;
  const { inherits, isError, kindOf } = internals.kinds;

  const checkFunction = (value, name) => {
    if (typeof value !== 'function') throw wrongType(name, 'of type function', value);
  };

  const promisify = (original) => {
    checkFunction(original, 'original');
    const custom = original[customPromisify];
    if (custom) {
      checkFunction(custom, 'util.promisify.custom');
      return define(custom, customPromisify, custom);
    }
    function promisified(...args) {
      return new Promise((resolve, reject) => {
        append(args, (error, value) => {
          if (error) reject(error);
          else resolve(value);
        });
        apply(original, this, args);
      });
    }
    setPrototypeOf(promisified, getPrototypeOf(original));
    define(promisified, customPromisify, promisified);
    const names = getOwnPropertyNames(original);
    for (let i = 0; i < names.length; i++) {
      if (names[i] !== 'arguments' && names[i] !== 'caller' && names[i] !== 'prototype') {
        defineProperty(promisified, names[i], descriptorOf(original, names[i]));
      }
    }
    return promisified;
  };
  promisify.custom = customPromisify;

  const callbackify = (original) => {
    checkFunction(original, 'original');
    return function callbackified(...args) {
      const callback = args[args.length - 1];
      checkFunction(callback, 'last argument');
      args.length--;
      const promise = promiseResolve(apply(original, this, args));
      promiseThen(promise, (value) => callback(null, value), (reason) => {
        if (reason) return callback(reason);
        const error = coded(Error, 'ERR_FALSY_VALUE_REJECTION', 'Promise was rejected with falsy value');
        define(error, 'reason', reason, true);
        return callback(error);
      });
    };
  };

  const inheritFrom = (constructor, parent) => {
    if (typeof constructor !== 'function') throw wrongType('ctor', 'of type function', constructor);
    if (typeof parent !== 'function') throw wrongType('superCtor', 'of type function', parent);
    if (parent.prototype === undefined) throw wrongType('superCtor.prototype', 'of type object', undefined);
    define(constructor, 'super_', parent);
    setPrototypeOf(constructor.prototype, parent.prototype);
  };

  /** Removes the escape sequences `ESC [ … letter`, which set colors and move cursors. */
  const stripVTControlCharacters = (text) => {
    if (typeof text !== 'string') throw wrongType('str', 'of type string', text);
    let result = '';
    let copied = 0;
    for (let at = stringIndexOf(text, '\u001b['); at !== -1; at = stringIndexOf(text, '\u001b[', copied)) {
      let end = at + 2;
      while (end < text.length && stringCharCodeAt(text, end) < 64) end++;
      result += stringSlice(text, copied, at);
      copied = end + 1;
    }
    return result + stringSlice(text, copied);
  };

  /** Returns a function that prints nothing, as in Node.js unless its environment names the section. */
  const debuglog = () =>
    defineProperty(() => {}, 'enabled', { __proto__: null, get: () => false, enumerable: true, configurable: true });

  const isObject = (value) => typeof value === 'object' && value !== null;
  const isKind = (kind) => (value) => isObject(value) && kindOf(value) === kind;
  const isNamed = (name) => (value) => isView(value) && typedArrayName(value) === name;
  const isBoxedPrimitive = (value) => {
    const kind = isObject(value) ? kindOf(value) : '';
    return kind === 'Number' || kind === 'String' || kind === 'Boolean' || kind === 'BigInt' || kind === 'Symbol';
  };

  const makeTypes = () => {
    const types = {
      isAnyArrayBuffer: isKind('ArrayBuffer'),
      isArgumentsObject: (value) => isObject(value) && objectToString(value) === '[object Arguments]',
      isArrayBuffer: isKind('ArrayBuffer'),
      isArrayBufferView: (value) => isView(value),
      isAsyncFunction: (value) => typeof value === 'function' && (inherits(value, asyncFunctionPrototype)
        || inherits(value, asyncGeneratorFunctionPrototype)),
      isBoxedPrimitive,
      isDataView: isKind('DataView'),
      isDate: isKind('Date'),
      isGeneratorFunction: (value) => typeof value === 'function'
        && (inherits(value, generatorFunctionPrototype)
        || inherits(value, asyncGeneratorFunctionPrototype)),
      isGeneratorObject: (value) => isObject(value) && inherits(value, generatorPrototype),
      isMap: isKind('Map'),
      isMapIterator: isKind('Map Iterator'),
      isNativeError: isError,
      isPromise: isKind('Promise'),
      isProxy: (value) => isProxy !== undefined && isProxy(value),
      isRegExp: isKind('RegExp'),
      isSet: isKind('Set'),
      isSetIterator: isKind('Set Iterator'),
      isTypedArray: isKind('TypedArray'),
      isWeakMap: isKind('WeakMap'),
      isWeakSet: isKind('WeakSet'),
    };
    const boxes = ['Number', 'String', 'Boolean', 'BigInt', 'Symbol'];
    for (let i = 0; i < boxes.length; i++) types[`is${boxes[i]}Object`] = isKind(boxes[i]);
    const views = [
      'Int8Array', 'Uint8Array', 'Uint8ClampedArray', 'Int16Array', 'Uint16Array', 'Int32Array', 'Uint32Array',
      'Float32Array', 'Float64Array', 'BigInt64Array', 'BigUint64Array',
    ];
    for (let i = 0; i < views.length; i++) types[`is${views[i]}`] = isNamed(views[i]);
    return types;
  };

  internals.defineModule('util/types', () => internals.require('util').types);
  internals.defineModule('util', () => {
    const types = makeTypes();
    return {
      TextDecoder: globals.TextDecoder,
      TextEncoder: globals.TextEncoder,
      callbackify,
      debug: debuglog,
      debuglog,
      deprecate: (fn) => fn,
      format,
      formatWithOptions(...args) {
        if (!isObject(args[0])) throw wrongType('inspectOptions', 'of type object', args[0]);
        return apply(formatWithOptions, undefined, args);
      },
      inherits: inheritFrom,
      inspect,
      isArray,
      isDeepStrictEqual: (a, b) => isDeepEqual(a, b, true),
      parseArgs: internals.parseArgs,
      promisify,
      stripVTControlCharacters,
      styleText: internals.styleText,
      toUSVString: (value) => stringToWellFormed(`${value}`),
      types,
    };
  });
};
