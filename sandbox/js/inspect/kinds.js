// Determines the kind of an object by its internal slots, and the name of its constructor.
(internals) => {
  'use strict';

  const {
    Error, Function, Map, Object, Set, arrayBufferByteLength, bigintValueOf, booleanValueOf, dateGetTime,
    descriptorOf, functionToString, getOwnPropertyNames, getOwnPropertySymbols, getPrototypeOf, hasOwn, isArray,
    isView, keys, list, mapGet, mapIteratorPrototype, mapSet, mapSize, numberValueOf,
    objectPropertyIsEnumerable, objectToString, regexpExec, regexpSource, setAdd, setHas, setIteratorPrototype,
    setPrototypeOf, setSize, stringValueOf, symbolToPrimitive, symbolToStringTag, symbolValueOf, toText,
    typedArrayName, weakMapHas, weakRefDeref, weakSetHas,
  } = internals.primordials;

  // A host function that may be missing in an embedding.
  const { promiseState } = internals;
  // Not only from primordials, because V8 adds `Error.isError` to contexts of a snapshot after the library was loaded.
  const isErrorObject = internals.isErrorObject ?? internals.primordials.isErrorObject;

  const ObjectPrototype = Object.prototype;
  const FunctionPrototype = Function.prototype;
  const ErrorPrototype = Error.prototype;
  // Needed because a proxy can return itself from getPrototypeOf.
  const MAX_PROTOTYPES = 100;

  // Each of these throws unless its argument has the internal slot.
  const slots = {
    __proto__: null,
    Map: mapSize,
    Set: setSize,
    Date: dateGetTime,
    RegExp: regexpSource,
    ArrayBuffer: arrayBufferByteLength,
    WeakMap: (value) => weakMapHas(value, slots),
    WeakSet: (value) => weakSetHas(value, slots),
    WeakRef: weakRefDeref,
    Number: numberValueOf,
    String: stringValueOf,
    Boolean: booleanValueOf,
    Symbol: symbolValueOf,
    BigInt: bigintValueOf,
    'Map Iterator': () => undefined,
    'Set Iterator': () => undefined,
    Promise: (value) => {
      if (promiseState === undefined ? objectToString(value) !== '[object Promise]' : promiseState(value) === undefined) {
        throw value;
      }
    },
  };
  const slotNames = keys(slots);
  const prototypeKinds = new Map();
  for (let i = 0; i < slotNames.length; i++) {
    const constructor = globalThis[slotNames[i]];
    if (constructor !== undefined) mapSet(prototypeKinds, constructor.prototype, slotNames[i]);
  }
  mapSet(prototypeKinds, mapIteratorPrototype, 'Map Iterator');
  mapSet(prototypeKinds, setIteratorPrototype, 'Set Iterator');

  const hasSlot = (kind, value) => {
    try {
      slots[kind](value);
      return true;
    } catch {
      return false;
    }
  };

  /** Whether an object is in the prototype chain of another; checks a limited number of prototypes. */
  const inherits = (value, ancestor) => {
    let prototype = getPrototypeOf(value);
    for (let layer = 0; prototype !== null && layer < MAX_PROTOTYPES; layer++) {
      if (prototype === ancestor) return true;
      prototype = getPrototypeOf(prototype);
    }
    return false;
  };

  /** Whether a value is an error: created by an Error constructor, or an instance of Error. */
  const isError = (value) => {
    if (typeof value !== 'object' || value === null) return false;
    try {
      if (isErrorObject === undefined ? objectToString(value) === '[object Error]' : isErrorObject(value)) return true;
      return inherits(value, ErrorPrototype);
    } catch {
      return false;
    }
  };

  // For objects whose prototypes do not reveal their kind, tries every slot.
  const kindBySlots = (value) => {
    if (isError(value)) return 'Error';
    for (let i = 0; i < slotNames.length; i++) {
      const kind = slotNames[i];
      if (kind !== 'Map Iterator' && kind !== 'Set Iterator' && hasSlot(kind, value)) return kind;
    }
    return 'Object';
  };

  /**
   * Returns the kind of an object or function: 'Array', 'Map', 'Date', 'TypedArray', 'Error', 'Function', … or 'Object'.
   * Tries only slots of kinds in the prototype chain, or all of them if the chain ends early.
   */
  const kindOf = (value) => {
    if (typeof value === 'function') return 'Function';
    if (isArray(value)) return 'Array';
    if (isView(value)) return typedArrayName(value) === undefined ? 'DataView' : 'TypedArray';
    let prototype = getPrototypeOf(value);
    if (prototype === ObjectPrototype) return isError(value) ? 'Error' : 'Object';
    for (let layer = 0; layer < MAX_PROTOTYPES; layer++) {
      if (prototype === null) return kindBySlots(value);
      if (prototype === ObjectPrototype) break;
      const kind = mapGet(prototypeKinds, prototype);
      if (kind !== undefined && hasSlot(kind, value)) return kind;
      prototype = getPrototypeOf(prototype);
    }
    return isError(value) ? 'Error' : 'Object';
  };

  const isInstance = (value, constructor) => {
    try {
      return value instanceof constructor;
    } catch {
      return false;
    }
  };

  /** Returns the constructor named by an object or a prototype, with the object on which it was found, or null. */
  const findConstructor = (value) => {
    let object = value;
    for (let layer = 0; object !== null && layer < MAX_PROTOTYPES; layer++) {
      if (layer > 0 && object === ObjectPrototype) return { __proto__: null, name: 'Object', layer };
      if (layer > 0 && object === FunctionPrototype) return { __proto__: null, name: 'Function', layer };
      const constructor = descriptorOf(object, 'constructor')?.value;
      if (typeof constructor === 'function' && constructor.name !== '' && isInstance(value, constructor)) {
        return { __proto__: null, name: toText(constructor.name), layer };
      }
      object = getPrototypeOf(object);
    }
    return null;
  };

  /** Global constructors by name, captured before user code ran. */
  const builtinNames = new Set();
  const globalNames = getOwnPropertyNames(globalThis);
  const capitalized = /^[A-Z][a-zA-Z0-9]+$/;
  for (let i = 0; i < globalNames.length; i++) {
    if (regexpExec(capitalized, globalNames[i]) !== null) setAdd(builtinNames, globalNames[i]);
  }
  const isBuiltin = (object) => {
    const constructor = descriptorOf(object, 'constructor')?.value;
    return typeof constructor === 'function' && setHas(builtinNames, constructor.name);
  };

  /** Returns the `Symbol.toStringTag` if it is a string that is not already shown as a property, otherwise ''. */
  const tagOf = (value, showHidden) => {
    const tag = value[symbolToStringTag];
    if (typeof tag !== 'string' || tag === '') return '';
    const shown = showHidden ? hasOwn(value, symbolToStringTag) : objectPropertyIsEnumerable(value, symbolToStringTag);
    return shown ? '' : tag;
  };

  /** Returns the own keys to show: enumerable ones, or all with `showHidden`. */
  const visibleKeys = (value, showHidden) => {
    const names = showHidden ? getOwnPropertyNames(value) : keys(value);
    return withSymbols(value, names, showHidden);
  };
  const withSymbols = (value, names, showHidden) => {
    const result = setPrototypeOf(names, null);
    const symbols = getOwnPropertySymbols(value);
    for (let i = 0; i < symbols.length; i++) {
      if (showHidden || objectPropertyIsEnumerable(value, symbols[i])) result[result.length] = symbols[i];
    }
    return result;
  };

  // Named properties of longer arrays are not shown, because listing them creates a string for every index.
  const MAX_SCANNED_LENGTH = 10_000;
  const arrayIndex = /^(?:0|[1-9][0-9]{0,9})$/;

  /** Returns the own keys of an array, typed array or String object except indices below `length`. */
  const namedKeys = (value, length, showHidden) => {
    const result = list();
    if (length <= MAX_SCANNED_LENGTH) {
      const names = showHidden ? getOwnPropertyNames(value) : keys(value);
      // Indices come first.
      let i = 0;
      while (i < names.length && regexpExec(arrayIndex, names[i]) !== null && +names[i] < 2 ** 32 - 1) i++;
      for (; i < names.length; i++) result[result.length] = names[i];
    }
    return withSymbols(value, result, showHidden);
  };

  /** Whether `String(value)` would only return the default `[object …]`. */
  const hasBuiltinToString = (value) => {
    const converts = typeof value.toString === 'function';
    const hasPrimitive = typeof value[symbolToPrimitive] === 'function';
    if (!converts && !hasPrimitive) return true;
    const owns = (object) => (converts && hasOwn(object, 'toString'))
      || (hasPrimitive && hasOwn(object, symbolToPrimitive));
    let object = value;
    for (let layer = 0; object !== null && layer < MAX_PROTOTYPES; layer++) {
      if (owns(object)) return layer > 0 && isBuiltin(object);
      object = getPrototypeOf(object);
    }
    return true;
  };

  // A parenthesis must not follow, because a method may be named `class`.
  const classHead = /^class(?:\s*\{|\s*\/[*/]|\s+[^\s(])/;

  /** Whether a function is a class. */
  const isClass = (value) => regexpExec(classHead, functionToString(value)) !== null;

  internals.kinds = {
    __proto__: null, findConstructor, hasBuiltinToString, inherits, isBuiltin, isClass, isError, isInstance, kindOf,
    namedKeys, tagOf, visibleKeys,
  };
};
