// Captures every builtin that the library uses, before user code can patch one.
(internals) => {
  'use strict';

  const { bind, call } = Function.prototype;
  /** Converts a method to a function that receives its `this` as the first argument. */
  const uncurry = bind.bind(call);
  const { defineProperty, getOwnPropertyDescriptor, getPrototypeOf, setPrototypeOf, freeze, hasOwn, keys } = Object;
  const { apply, ownKeys } = Reflect;
  const p = {
    __proto__: null,
    Array, ArrayBuffer, BigInt, Boolean, DataView, Date, Error, Function, Int32Array, Map, Number, Object, Promise,
    Proxy, RangeError, RegExp, Set, String, Symbol, SyntaxError, TypeError, URIError, Uint8Array, WeakMap,
    apply, ownKeys, defineProperty, freeze, getPrototypeOf, setPrototypeOf, hasOwn, keys, uncurry,
    construct: Reflect.construct,
    create: Object.create,
    getOwnPropertyNames: Object.getOwnPropertyNames,
    getOwnPropertySymbols: Object.getOwnPropertySymbols,
    is: Object.is,
    dateNow: Date.now,
    isArray: Array.isArray,
    isView: ArrayBuffer.isView,
    isErrorObject: Error.isError,
    isNaN: Number.isNaN,
    isInteger: Number.isInteger,
    parseFloat: Number.parseFloat,
    parseInt: Number.parseInt,
    jsonParse: JSON.parse,
    jsonStringify: JSON.stringify,
    fromCharCode: String.fromCharCode,
    fromCodePoint: String.fromCodePoint,
    decodeURIComponent,
    encodeURIComponent,
    symbolFor: Symbol.for,
    symbolHasInstance: Symbol.hasInstance,
    symbolIterator: Symbol.iterator,
    symbolToPrimitive: Symbol.toPrimitive,
    symbolToStringTag: Symbol.toStringTag,
    customInspect: Symbol.for('nodejs.util.inspect.custom'),
    customPromisify: Symbol.for('nodejs.util.promisify.custom'),
  };
  const TypedArray = getPrototypeOf(Uint8Array);
  p.TypedArray = TypedArray;

  // Space-separated names, for readability.
  const split = uncurry(String.prototype.split);
  const upper = uncurry(String.prototype.toUpperCase);
  const slice = uncurry(String.prototype.slice);
  const capital = (name) => upper(name[0]) + slice(name, 1);
  const take = (prefix, prototype, names) => {
    const list = split(names, ' ');
    for (let i = 0; i < list.length; i++) p[prefix + capital(list[i])] = uncurry(prototype[list[i]]);
  };
  const takeGetters = (prefix, prototype, names) => {
    const list = split(names, ' ');
    for (let i = 0; i < list.length; i++) {
      const getter = getOwnPropertyDescriptor(prototype, list[i])?.get;
      if (getter !== undefined) p[prefix + capital(list[i])] = uncurry(getter);
    }
  };
  take('array', Array.prototype, 'join sort');
  take('string', String.prototype, 'charCodeAt codePointAt endsWith includes indexOf lastIndexOf normalize padEnd '
    + 'padStart repeat slice startsWith toLowerCase toUpperCase trim valueOf isWellFormed toWellFormed');
  take('number', Number.prototype, 'toFixed toString valueOf');
  take('bigint', BigInt.prototype, 'valueOf');
  take('boolean', Boolean.prototype, 'valueOf');
  take('symbol', Symbol.prototype, 'toString valueOf');
  take('object', Object.prototype, 'isPrototypeOf propertyIsEnumerable toString');
  take('function', Function.prototype, 'toString');
  take('regexp', RegExp.prototype, 'exec');
  take('date', Date.prototype, 'getTime toISOString toString');
  take('map', Map.prototype, 'get set has delete clear entries');
  take('set', Set.prototype, 'add has delete values');
  take('weakMap', WeakMap.prototype, 'get set has');
  take('weakSet', WeakSet.prototype, 'has');
  take('promise', Promise.prototype, 'then');
  take('typedArray', TypedArray.prototype, 'set fill');
  // Available in Node.js since version 21.
  if (ArrayBuffer.prototype.transfer !== undefined) take('arrayBuffer', ArrayBuffer.prototype, 'transfer');
  takeGetters('map', Map.prototype, 'size');
  takeGetters('set', Set.prototype, 'size');
  takeGetters('arrayBuffer', ArrayBuffer.prototype, 'byteLength');
  takeGetters('typedArray', TypedArray.prototype, 'buffer byteLength byteOffset length');
  takeGetters('dataView', DataView.prototype, 'buffer byteLength byteOffset');
  takeGetters('regexp', RegExp.prototype,
    'source hasIndices global ignoreCase multiline dotAll unicode unicodeSets sticky');
  p.typedArrayName = uncurry(getOwnPropertyDescriptor(TypedArray.prototype, Symbol.toStringTag).get);
  p.functionHasInstance = uncurry(Function.prototype[Symbol.hasInstance]);
  p.weakRefDeref = uncurry(WeakRef.prototype.deref);
  p.errorToString = uncurry(Error.prototype.toString);
  p.mapIteratorNext = uncurry(getPrototypeOf(new Map().entries()).next);
  p.setIteratorNext = uncurry(getPrototypeOf(new Set().values()).next);
  p.mapIteratorPrototype = getPrototypeOf(new Map().entries());
  p.setIteratorPrototype = getPrototypeOf(new Set().values());
  p.iteratorPrototype = getPrototypeOf(getPrototypeOf([][Symbol.iterator]()));
  p.asyncFunctionPrototype = getPrototypeOf(async () => {});
  p.generatorFunctionPrototype = getPrototypeOf(function* () {});
  p.asyncGeneratorFunctionPrototype = getPrototypeOf(async function* () {});
  p.generatorPrototype = p.generatorFunctionPrototype.prototype;
  p.promiseResolve = bind.call(Promise.resolve, Promise);
  p.ceil = Math.ceil;
  p.floor = Math.floor;
  p.max = Math.max;
  p.min = Math.min;
  p.round = Math.round;
  p.sign = Math.sign;
  p.sqrt = Math.sqrt;
  p.trunc = Math.trunc;

  /** Returns a new array without a prototype, so that index assignments cannot call setters of the user. */
  p.list = () => setPrototypeOf([], null);

  /** Returns the own property descriptor with a null prototype, or undefined. */
  p.descriptorOf = (object, key) => {
    const descriptor = getOwnPropertyDescriptor(object, key);
    return descriptor === undefined ? undefined : setPrototypeOf(descriptor, null);
  };

  /** Defines a writable, configurable property; `enumerable` defaults to false. */
  p.define = (object, key, value, enumerable = false) =>
    defineProperty(object, key, { __proto__: null, value, enumerable, writable: true, configurable: true });

  /** Appends to an ordinary array without calling setters of `Array.prototype`. */
  p.append = (array, value) => p.define(array, array.length, value, true);

  /** Like `String(value)`, but never throws: symbols become their description, hostile objects a short text. */
  p.toText = (value) => {
    try {
      return typeof value === 'symbol' ? p.symbolToString(value) : String(value);
    } catch {
      return '[object that cannot be converted to a string]';
    }
  };

  /** Returns a view of the bytes from `start` to `end`. Unlike `subarray`, it does not read a species. */
  p.bytesBetween = (bytes, start, end) =>
    new Uint8Array(p.typedArrayBuffer(bytes), p.typedArrayByteOffset(bytes) + start, end - start);

  /** Splits a text at a separator. Unlike `split`, it does not call a `Symbol.split` of the user. */
  p.splitOn = (text, separator) => {
    const parts = p.list();
    let from = 0;
    for (;;) {
      const at = p.stringIndexOf(text, separator, from);
      if (at === -1) break;
      parts[parts.length] = p.stringSlice(text, from, at);
      from = at + separator.length;
    }
    parts[parts.length] = p.stringSlice(text, from);
    return parts;
  };

  /** Replaces every occurrence of one string by another, without regular expressions. */
  p.replaceAll = (text, from, to) =>
    p.stringIncludes(text, from) ? p.arrayJoin(p.splitOn(text, from), to) : text;

  /** Reads a property; returns `fallback` if a getter or trap throws. */
  p.peek = (object, key, fallback) => {
    try {
      return object[key];
    } catch {
      return fallback;
    }
  };

  // QuickJS evaluates a template literal by calling this method by name.
  defineProperty(String.prototype, 'concat', { __proto__: null, writable: false, configurable: false });

  internals.primordials = freeze(p);
};
