// structuredClone in plain JavaScript (https://html.spec.whatwg.org/#structuredserializeinternal).
(internals) => {
  'use strict';

  const {
    ArrayBuffer, DataView, Date, Error, Map, Object, RegExp, Set, TypeError, Uint8Array, arrayBufferByteLength,
    arrayBufferTransfer,
    bigintValueOf, booleanValueOf, construct, dataViewBuffer, dataViewByteLength, dataViewByteOffset, dateGetTime,
    define, descriptorOf, generatorPrototype, keys, mapEntries, mapGet, mapIteratorNext, mapSet, numberValueOf,
    objectToString, regexpSource, setAdd, setIteratorNext, setValues, stringValueOf, symbolToString, toText,
    typedArrayBuffer, typedArrayByteOffset, typedArrayLength, typedArrayName, typedArraySet,
  } = internals.primordials;
  const { DOMException, coded } = internals.exceptions;
  const { findConstructor, inherits, kindOf } = internals.kinds;
  const { regexpFlags } = internals.shapes;
  const { isProxy } = internals;

  const viewTypes = { __proto__: null };
  const viewNames = [
    'Int8Array', 'Uint8Array', 'Uint8ClampedArray', 'Int16Array', 'Uint16Array', 'Int32Array', 'Uint32Array',
    'Float16Array', 'Float32Array', 'Float64Array', 'BigInt64Array', 'BigUint64Array',
  ];
  for (let i = 0; i < viewNames.length; i++) viewTypes[viewNames[i]] = globalThis[viewNames[i]];

  const errorTypes = { __proto__: null };
  const errorNames = ['Error', 'EvalError', 'RangeError', 'ReferenceError', 'SyntaxError', 'TypeError', 'URIError'];
  for (let i = 0; i < errorNames.length; i++) errorTypes[errorNames[i]] = globalThis[errorNames[i]];

  const failure = (what) => new DOMException(`${what} could not be cloned.`, 'DataCloneError');
  const describe = (value) => {
    if (inherits(value, generatorPrototype)) return '[object Generator]';
    return `#<${findConstructor(value)?.name ?? 'Object'}>`;
  };

  const copyBuffer = (buffer) => {
    const result = new ArrayBuffer(arrayBufferByteLength(buffer));
    typedArraySet(new Uint8Array(result), new Uint8Array(buffer));
    return result;
  };

  const cloneView = (value, memory) => {
    const name = typedArrayName(value);
    if (name === undefined) {
      const buffer = clone(dataViewBuffer(value), memory);
      return new DataView(buffer, dataViewByteOffset(value), dataViewByteLength(value));
    }
    const buffer = clone(typedArrayBuffer(value), memory);
    return construct(viewTypes[name], [buffer, typedArrayByteOffset(value), typedArrayLength(value)]);
  };

  const cloneError = (value, memory) => {
    const Type = errorTypes[toText(value.name)] ?? Error;
    const message = descriptorOf(value, 'message')?.value;
    const result = message === undefined ? new Type() : new Type(toText(message));
    mapSet(memory, value, result);
    const { stack } = value;
    if (typeof stack === 'string') define(result, 'stack', stack);
    const cause = descriptorOf(value, 'cause');
    if (cause !== undefined) define(result, 'cause', clone(cause.value, memory));
    return result;
  };

  const cloneMap = (value, memory) => {
    const result = new Map();
    mapSet(memory, value, result);
    const entries = new Map();
    // Copies the entries first, because a getter in them may change the Map.
    const iterator = mapEntries(value);
    for (let step = mapIteratorNext(iterator); !step.done; step = mapIteratorNext(iterator)) {
      mapSet(entries, step.value[0], step.value[1]);
    }
    const copies = mapEntries(entries);
    for (let step = mapIteratorNext(copies); !step.done; step = mapIteratorNext(copies)) {
      mapSet(result, clone(step.value[0], memory), clone(step.value[1], memory));
    }
    return result;
  };

  const cloneSet = (value, memory) => {
    const result = new Set();
    mapSet(memory, value, result);
    const entries = new Set();
    const iterator = setValues(value);
    for (let step = setIteratorNext(iterator); !step.done; step = setIteratorNext(iterator)) {
      setAdd(entries, step.value);
    }
    const copies = setValues(entries);
    for (let step = setIteratorNext(copies); !step.done; step = setIteratorNext(copies)) {
      setAdd(result, clone(step.value, memory));
    }
    return result;
  };

  const cloneProperties = (value, result, memory) => {
    mapSet(memory, value, result);
    const names = keys(value);
    for (let i = 0; i < names.length; i++) {
      if (descriptorOf(value, names[i]) !== undefined) define(result, names[i], clone(value[names[i]], memory), true);
    }
    return result;
  };

  const cloneArray = (value, memory) => {
    const result = [];
    result.length = value.length;
    return cloneProperties(value, result, memory);
  };

  const cloneObject = (value, memory) => {
    switch (kindOf(value)) {
      case 'Array': return cloneArray(value, memory);
      case 'Map': return cloneMap(value, memory);
      case 'Set': return cloneSet(value, memory);
      case 'Error': return cloneError(value, memory);
      case 'Date': return new Date(dateGetTime(value));
      case 'RegExp': return new RegExp(regexpSource(value), regexpFlags(value));
      case 'ArrayBuffer': return copyBuffer(value);
      case 'TypedArray':
      case 'DataView': return cloneView(value, memory);
      case 'Number': return Object(numberValueOf(value));
      case 'Boolean': return Object(booleanValueOf(value));
      case 'BigInt': return Object(bigintValueOf(value));
      case 'String': return Object(stringValueOf(value));
      case 'Symbol': throw failure('[object Symbol]');
      case 'Object': break;
      default: throw failure(describe(value));
    }
    if (inherits(value, generatorPrototype) || objectToString(value) === '[object Arguments]') {
      throw failure(describe(value));
    }
    return cloneProperties(value, {}, memory);
  };

  /** Clones one value. `memory` maps values that were already cloned, to preserve cycles and shared references. */
  const clone = (value, memory) => {
    if (typeof value === 'symbol') throw failure(symbolToString(value));
    if (typeof value === 'function') throw failure(toText(value));
    if (typeof value !== 'object' || value === null) return value;
    const known = mapGet(memory, value);
    if (known !== undefined) return known;
    if (isProxy !== undefined && isProxy(value)) throw failure('#<Object>');
    const result = cloneObject(value, memory);
    mapSet(memory, value, result);
    return result;
  };

  function structuredClone(value, options) {
    if (arguments.length === 0) throw coded(TypeError, 'ERR_MISSING_ARGS', 'The value argument must be specified');
    const given = options?.transfer;
    const transferred = given === undefined || given === null ? [] : [...given];
    for (let i = 0; i < transferred.length; i++) {
      if (kindOf(transferred[i]) !== 'ArrayBuffer' || arrayBufferTransfer === undefined) {
        throw new DOMException('Found invalid object in transferList', 'DataCloneError');
      }
      for (let j = 0; j < i; j++) {
        if (transferred[i] === transferred[j]) throw new DOMException('ArrayBuffer occurs in the transfer list more than once', 'DataCloneError');
      }
    }
    const result = clone(value, new Map());
    // The clone owns their contents.
    for (let i = 0; i < transferred.length; i++) arrayBufferTransfer(transferred[i]);
    return result;
  }

  internals.globals.structuredClone = structuredClone;
};
