// Values on their way out of the sandbox: as text and JSON, for answers, arguments and contexts.
//
// JSON has no form for many values of JavaScript. Each kind is converted in one way, or refused with its
// place; nothing becomes `{}` or `null` in silence.
(internals) => {
  'use strict';
  const { primordials: p } = internals;
  const { Map, TypeError } = globalThis;
  const { mapGet, mapHas, mapSet } = p;
  const mapForEach = p.uncurry(Map.prototype.forEach);
  const setForEach = p.uncurry(Set.prototype.forEach);
  const MOST_SAFE = 2n ** 53n - 1n;

  const { inherits } = internals.kinds;
  const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';
  const kindOf = (value) => {
    const kind = internals.kinds.kindOf(value);
    return kind === 'Object' && inherits(value, p.generatorPrototype) ? 'Generator' : kind;
  };
  /** An entry of a list, for whatever stands in Array.prototype. */
  const add = (list, value) => p.define(list, list.length, value, true);

  /** A Map as an object if its keys are texts, numbers or booleans that stay different as texts; else as pairs. */
  const ofMap = (map) => {
    const object = p.create(null);
    const pairs = [];
    let isRecord = true;
    mapForEach(map, (value, key) => {
      const type = typeof key;
      const name = type === 'string' || type === 'number' || type === 'boolean' ? `${key}` : undefined;
      if (name === undefined || p.hasOwn(object, name)) isRecord = false;
      else p.define(object, name, value, true);
      add(pairs, [key, value]);
    });
    return isRecord ? object : pairs;
  };

  const ofSet = (set) => {
    const list = [];
    setForEach(set, (value) => add(list, value));
    return list;
  };

  const ofTypedArray = (array) => {
    const list = [];
    const length = p.typedArrayLength(array);
    for (let i = 0; i < length; i++) add(list, array[i]);
    return list;
  };

  const ofBytes = (buffer, offset, length) => ofTypedArray(new p.Uint8Array(buffer, offset, length));

  const ofNumber = (value) => (value - value === 0 ? value : `${value}`);
  const ofBigInt = (value) => (value <= MOST_SAFE && value >= -MOST_SAFE ? p.Number(value) : `${value}`);

  /** How kinds of objects are written. */
  const conversions = {
    __proto__: null,
    Map: ofMap,
    Set: ofSet,
    TypedArray: ofTypedArray,
    ArrayBuffer: (value) => ofBytes(value, 0, p.arrayBufferByteLength(value)),
    DataView: (value) => ofBytes(p.dataViewBuffer(value), p.dataViewByteOffset(value), p.dataViewByteLength(value)),
    RegExp: (value) => p.toText(value),
    Number: (value) => ofNumber(p.numberValueOf(value)),
    BigInt: (value) => ofBigInt(p.bigintValueOf(value)),
    Error: (value) => internals.errorText(value),
  };

  /** Kinds without a form in JSON, with what to do instead. */
  const refused = {
    __proto__: null,
    Function: 'call it, or leave it out',
    WeakMap: 'use a Map',
    WeakSet: 'use a Set',
    WeakRef: 'use what it refers to',
    'Map Iterator': 'spread it: [...iterator]',
    'Set Iterator': 'spread it: [...iterator]',
    Symbol: 'use a string',
    Generator: 'spread it: [...generator]',
  };

  const placeOf = (key) => (key === '' ? '' : ` (at ${p.jsonStringify(key)})`);

  /** What stands for a promise whose value is not known yet. */
  const unsettled = { __proto__: null };

  /**
   * A value, or what its promise was settled with by `settled`. A promise that is not in there is added to `promises`,
   * and the result is `unsettled`.
   */
  const settle = (value, promises, settled) => {
    let given = value;
    while (isObject(given) && kindOf(given) === 'Promise') {
      if (!mapHas(settled, given)) {
        add(promises, given);
        return unsettled;
      }
      given = mapGet(settled, given);
    }
    return given;
  };

  /** A value as JSON, or undefined for one without a form at its top. Without `isStrict`, what JSON has no form for is left out. */
  const jsonOf = (value, promises, settled, isStrict) => p.jsonStringify(value, function (key, value) {
    if (value === null) {
      // `toJSON` of an invalid date gives null.
      const original = this[key];
      return isObject(original) && kindOf(original) === 'Date' ? 'Invalid Date' : null;
    }
    const given = settle(value, promises, settled);
    switch (typeof given) {
      case 'number': return ofNumber(given);
      case 'bigint': return ofBigInt(given);
      case 'symbol': case 'object': case 'function': break;
      default: return given;
    }
    if (given === unsettled || given === null || p.isArray(given)) return given;
    const kind = typeof given === 'symbol' ? 'Symbol' : kindOf(given);
    const advice = refused[kind];
    if (advice !== undefined && isStrict) throw new TypeError(`a ${kind} has no form in JSON${placeOf(key)}: ${advice}`);
    const how = conversions[kind];
    return how === undefined ? given : how(given);
  });

  /**
   * The text of an answer: strings as they are, objects as JSON. The promises in it are added to `promises` unless
   * `settled` has their values; the text is right only if none are added.
   */
  const textOf = (value, promises, settled, isStrict = true) => {
    const given = settle(value, promises, settled);
    if (typeof given === 'string') return given;
    if (given === undefined || given === unsettled) return '';
    if (typeof given === 'function' || !isObject(given)) return p.toText(given);
    const kind = kindOf(given);
    if (kind === 'Error') return internals.errorText(given);
    const json = jsonOf(given, promises, settled, isStrict);
    if (json === undefined) return p.toText(given);
    // Dates and the like are texts: without quotes, as any answer that is a text.
    return json[0] === '"' && kind !== 'Object' ? p.jsonParse(json) : json;
  };

  const nothing = new Map();

  /** What `make` gives of an argument, of which no part may be a promise. */
  const argument = (what, make) => {
    const promises = [];
    const made = make(promises);
    if (promises.length > 0) throw new TypeError(`${what} contains a promise: await it first`);
    return made;
  };

  /** The text of an argument. Without `isStrict`, what JSON has no form for is left out. */
  const argumentText = (what, value, isStrict) => argument(what, (promises) => textOf(value, promises, nothing, isStrict));

  /** An argument as JSON, or undefined. */
  const argumentJson = (what, value) => argument(what, (promises) => jsonOf(value, promises, nothing, true));

  internals.values = { __proto__: null, argumentJson, argumentText, textOf };
};
