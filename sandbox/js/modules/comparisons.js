// Deep equality, loose and strict, as Node's assert and util.isDeepStrictEqual define it.
(internals) => {
  'use strict';

  const {
    Map, Set, Uint8Array, arrayBufferByteLength, bigintValueOf, booleanValueOf, dateGetTime, getOwnPropertySymbols,
    getPrototypeOf, is, isNaN, keys, list, mapEntries, mapGet, mapHas, mapIteratorNext, mapSet, mapSize,
    numberValueOf, objectPropertyIsEnumerable, objectToString, regexpSource, setAdd, setDelete, setHas,
    setIteratorNext, setSize, setValues, stringValueOf, symbolValueOf, typedArrayLength, typedArrayName,
  } = internals.primordials;
  const { kindOf } = internals.kinds;
  const { regexpFlags } = internals.shapes;
  const { bytesOf } = internals;

  const unbox = {
    __proto__: null,
    Number: numberValueOf,
    String: stringValueOf,
    Boolean: booleanValueOf,
    BigInt: bigintValueOf,
    Symbol: symbolValueOf,
  };

  const sameBytes = (a, b) => {
    const length = typedArrayLength(a);
    if (length !== typedArrayLength(b)) return false;
    for (let i = 0; i < length; i++) if (a[i] !== b[i]) return false;
    return true;
  };

  const sameViews = (a, b, strict) => {
    const name = typedArrayName(a);
    if (name !== typedArrayName(b)) return false;
    // By value, 0 and -0 are equal and NaN differs from itself; by bytes, it is the opposite.
    const byValue = !strict && (name === 'Float32Array' || name === 'Float64Array');
    return byValue ? sameBytes(a, b) : sameBytes(bytesOf(a), bytesOf(b));
  };

  // Error properties that are compared although they are not enumerable.
  const errorKeys = ['message', 'name', 'cause', 'errors'];
  const sameErrors = (a, b, state) => {
    for (let i = 0; i < errorKeys.length; i++) {
      const key = errorKeys[i];
      const shown = objectPropertyIsEnumerable(a, key);
      if (shown !== objectPropertyIsEnumerable(b, key)) return false;
      if (!shown && !equal(a[key], b[key], state)) return false;
    }
    return true;
  };

  // Whether the internal slots are equal; compares only the sizes of Maps and Sets.
  const sameSlots = (kind, a, b, state) => {
    switch (kind) {
      case 'Array': return a.length === b.length;
      case 'Date': return is(dateGetTime(a), dateGetTime(b));
      case 'RegExp': return regexpSource(a) === regexpSource(b) && regexpFlags(a) === regexpFlags(b)
        && a.lastIndex === b.lastIndex;
      case 'TypedArray':
      case 'DataView': return sameViews(a, b, state.strict);
      case 'ArrayBuffer': return arrayBufferByteLength(a) === arrayBufferByteLength(b)
        && sameBytes(new Uint8Array(a), new Uint8Array(b));
      case 'Set': return setSize(a) === setSize(b);
      case 'Map': return mapSize(a) === mapSize(b);
      case 'Error': return sameErrors(a, b, state);
      default: {
        const hrefA = internals.hrefOf(a);
        if (hrefA !== undefined) return hrefA === internals.hrefOf(b);
        return unbox[kind] === undefined || is(unbox[kind](a), unbox[kind](b));
      }
    }
  };

  const enumerableSymbols = (value) => {
    const symbols = getOwnPropertySymbols(value);
    const result = list();
    for (let i = 0; i < symbols.length; i++) {
      if (objectPropertyIsEnumerable(value, symbols[i])) result[result.length] = symbols[i];
    }
    return result;
  };

  const sameProperties = (kind, a, b, state) => {
    const names = keys(a);
    if (names.length !== keys(b).length) return false;
    // The bytes of a view were compared above.
    const start = kind === 'TypedArray' ? typedArrayLength(a) : 0;
    for (let i = start; i < names.length; i++) if (!objectPropertyIsEnumerable(b, names[i])) return false;
    if (state.strict) {
      const symbols = enumerableSymbols(a);
      if (symbols.length !== enumerableSymbols(b).length) return false;
      for (let i = 0; i < symbols.length; i++) {
        if (!objectPropertyIsEnumerable(b, symbols[i]) || !equal(a[symbols[i]], b[symbols[i]], state)) return false;
      }
    }
    for (let i = start; i < names.length; i++) if (!equal(a[names[i]], b[names[i]], state)) return false;
    return true;
  };

  const isPrimitive = (value) => typeof value !== 'object' || value === null;

  // In loose mode, null may match undefined, and primitives match if == finds them equal.
  const mayMatchLoosely = (value) => {
    if (typeof value === 'symbol') return false;
    if (typeof value === 'string') return !isNaN(+value);
    return typeof value !== 'number' || !isNaN(value);
  };

  const takeEqual = (candidates, matches) => {
    const iterator = setValues(candidates);
    for (let step = setIteratorNext(iterator); !step.done; step = setIteratorNext(iterator)) {
      if (!matches(step.value)) continue;
      setDelete(candidates, step.value);
      return true;
    }
    return false;
  };

  const sameMembers = (a, b, state) => {
    const open = new Set();
    let iterator = setValues(a);
    for (let step = setIteratorNext(iterator); !step.done; step = setIteratorNext(iterator)) {
      const value = step.value;
      if (setHas(b, value)) continue;
      if (isPrimitive(value) && (state.strict || !mayMatchLoosely(value))) return false;
      setAdd(open, value);
    }
    iterator = setValues(b);
    for (let step = setIteratorNext(iterator); !step.done; step = setIteratorNext(iterator)) {
      const value = step.value;
      if (setHas(a, value)) continue;
      if (isPrimitive(value) && state.strict) return false;
      if (!takeEqual(open, (candidate) => equal(candidate, value, state))) return false;
    }
    return setSize(open) === 0;
  };

  const sameEntries = (a, b, state) => {
    const open = new Set();
    let iterator = mapEntries(a);
    for (let step = mapIteratorNext(iterator); !step.done; step = mapIteratorNext(iterator)) {
      const key = step.value[0];
      if (mapHas(b, key)) {
        if (equal(step.value[1], mapGet(b, key), state)) continue;
        if (state.strict && isPrimitive(key)) return false;
      } else if (isPrimitive(key) && (state.strict || !mayMatchLoosely(key))) {
        return false;
      }
      setAdd(open, key);
    }
    iterator = mapEntries(b);
    for (let step = mapIteratorNext(iterator); !step.done; step = mapIteratorNext(iterator)) {
      const key = step.value[0];
      const value = step.value[1];
      if (mapHas(a, key) && !setHas(open, key)) continue;
      const matches = (candidate) => equal(candidate, key, state) && equal(mapGet(a, candidate), value, state);
      if (!takeEqual(open, matches)) return false;
    }
    return setSize(open) === 0;
  };

  const sameObjects = (a, b, state) => {
    if (state.strict && getPrototypeOf(a) !== getPrototypeOf(b)) return false;
    if (objectToString(a) !== objectToString(b)) return false;
    const kind = kindOf(a);
    if (kind !== kindOf(b) || !sameSlots(kind, a, b, state)) return false;
    // A pair that is already being compared counts as equal, because cycles would otherwise never end.
    const partners = mapGet(state.pairs, a) ?? new Set();
    if (setHas(partners, b)) return true;
    mapSet(state.pairs, a, partners);
    setAdd(partners, b);
    const same = sameProperties(kind, a, b, state) && (kind !== 'Set' || sameMembers(a, b, state))
      && (kind !== 'Map' || sameEntries(a, b, state));
    setDelete(partners, b);
    return same;
  };

  const equal = (a, b, state) => {
    if (a === b) return a !== 0 || !state.strict || is(a, b);
    if (isPrimitive(a) || isPrimitive(b)) {
      if (isPrimitive(a) !== isPrimitive(b)) return false;
      if (a !== a && b !== b) return true;
      return !state.strict && typeof a !== 'function' && typeof b !== 'function' && a == b;
    }
    return sameObjects(a, b, state);
  };

  /** Whether two values are deeply equal: with `strict` by Object.is, prototypes and symbols, otherwise by `==`. */
  internals.isDeepEqual = (a, b, strict) => equal(a, b, { __proto__: null, strict, pairs: new Map() });
};
