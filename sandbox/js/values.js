// Converts values that leave the sandbox to text and JSON, for answers, arguments and contexts.
//
// JSON cannot represent many JavaScript values. Each kind is either converted in one way or rejected with
// its place; none silently becomes `{}` or `null`.
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
    if (kind !== 'Object' || !inherits(value, p.iteratorPrototype)) return kind;
    return inherits(value, p.generatorPrototype) ? 'Generator' : 'Iterator';
  };
  /** Appends to a list without calling setters of Array.prototype. */
  const add = (list, value) => p.define(list, list.length, value, true);

  /** Converts a Map to an object if its keys are strings, numbers or booleans that stay distinct as strings; otherwise to pairs. */
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

  /** Conversions of kinds of objects. */
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

  /** Kinds that JSON cannot represent, with an alternative for each. */
  const refused = {
    __proto__: null,
    Function: 'call it, or leave it out',
    WeakMap: 'use a Map',
    WeakSet: 'use a Set',
    WeakRef: 'use what it refers to',
    'Map Iterator': 'spread it: [...iterator]',
    'Set Iterator': 'spread it: [...iterator]',
    Iterator: 'spread it: [...iterator]',
    Symbol: 'use a string',
    Generator: 'spread it: [...generator]',
  };

  const placeOf = (key) => (key === '' ? '' : ` (at ${p.jsonStringify(key)})`);

  /** Placeholder for a promise that has not settled yet. */
  const unsettled = { __proto__: null };

  /**
   * Returns a value, or for a promise its value in `settled`. A promise that is not in `settled` is added to `promises`,
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

  /** Returns a value as JSON, or undefined if JSON cannot represent it. Without `isStrict`, omits parts that JSON cannot represent. */
  const jsonOf = (value, promises, settled, isStrict) => p.jsonStringify(value, function (key, value) {
    if (value === null) {
      // `toJSON` of an invalid date returns null.
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
    if (advice !== undefined && isStrict) {
      const article = kind === 'Iterator' ? 'an' : 'a';
      throw new TypeError(`${article} ${kind} has no form in JSON${placeOf(key)}: ${advice}`);
    }
    const how = conversions[kind];
    return how === undefined ? given : how(given);
  });

  /**
   * Returns the text of an answer: strings unchanged, objects as JSON. Adds the promises in it to `promises` unless
   * `settled` has their values; the text is complete only if none were added.
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
    // Dates and similar values become strings, which are written without quotes like other text answers.
    return json[0] === '"' && kind !== 'Object' ? p.jsonParse(json) : json;
  };

  const nothing = new Map();

  /** Returns the result of `make` for an argument, which must not contain a promise. */
  const argument = (what, make) => {
    const promises = [];
    const made = make(promises);
    if (promises.length > 0) throw new TypeError(`${what} contains a promise: await it first`);
    return made;
  };

  /** Returns the text of an argument. Without `isStrict`, omits parts that JSON cannot represent. */
  const argumentText = (what, value, isStrict) => argument(what, (promises) => textOf(value, promises, nothing, isStrict));

  /** Returns an argument as JSON, or undefined. */
  const argumentJson = (what, value) => argument(what, (promises) => jsonOf(value, promises, nothing, true));

  internals.values = { __proto__: null, argumentJson, argumentText, textOf };
};
