// Formats any value as Node 20's util.inspect does, with bounded work and without throwing.
(internals) => {
  'use strict';

  const {
    Map, Set, apply, arraySort, customInspect, define, descriptorOf, getPrototypeOf, hasOwn, keys, list, mapGet,
    mapSet, mapSize, ownKeys, peek, replaceAll, setAdd, setHas, stringIncludes, stringRepeat, stringSlice, toText,
  } = internals.primordials;
  const { formatKey, formatPrimitive, textWidth } = internals.strings;
  const { findConstructor, isBuiltin, isError, kindOf, tagOf } = internals.kinds;
  const { exhausted, remainingText, ELEMENT } = internals.collections;
  const { className, objectPrefix, shapeOf } = internals.shapes;
  const { join } = internals.layout;
  // Host functions that may be missing in an embedding.
  const { isProxy, proxyTarget } = internals;

  const { TypeError } = globalThis;
  const { defineProperty } = Object;

  const OBJECT = 0;
  const EXTRA = 2; // a named property of an array
  const defaults = {
    showHidden: false, depth: 2, colors: false, customInspect: true, showProxy: false, maxArrayLength: 100,
    maxStringLength: 10_000, breakLength: 80, compact: 3, sorted: false, getters: false, numericSeparator: false,
  };
  const optionNames = keys(defaults);

  const ansi = {
    __proto__: null, special: [36, 39], number: [33, 39], bigint: [33, 39], boolean: [33, 39], undefined: [90, 39],
    null: [1, 22], string: [32, 39], symbol: [32, 39], date: [35, 39], regexp: [31, 39],
  };
  const plain = (text) => `${text}`;
  const coloured = (text, style) => {
    const codes = ansi[style];
    return codes === undefined ? `${text}` : `\u001b[${codes[0]}m${text}\u001b[${codes[1]}m`;
  };

  /** Returns the text of a failed inspection, at most one line. */
  const failureText = (error) => {
    const message = isError(error) ? toText(peek(error, 'message', '')) : toText(error);
    if (stringIncludes(message, 'call stack size')) {
      return `[Object: Inspection interrupted prematurely. ${message}.]`;
    }
    return `<Inspection threw (${stringSlice(message, 0, 200)})>`;
  };

  const wasSeen = (ctx, value) => {
    for (let i = 0; i < ctx.seen.length; i++) if (ctx.seen[i] === value) return true;
    return false;
  };

  const circularText = (ctx, value) => {
    ctx.shared.circular ??= new Map();
    let index = mapGet(ctx.shared.circular, value);
    if (index === undefined) {
      index = mapSize(ctx.shared.circular) + 1;
      mapSet(ctx.shared.circular, value, index);
    }
    return ctx.stylize(`[Circular *${index}]`, 'special');
  };

  /** The options that a custom inspection function receives, to pass on to `inspect`. */
  const userOptions = (ctx) => {
    const options = {};
    for (let i = 0; i < optionNames.length; i++) define(options, optionNames[i], ctx[optionNames[i]], true);
    define(options, 'stylize', ctx.stylize, true);
    if (ctx.budget.left !== Infinity) define(options, 'maxChars', ctx.budget.left, true);
    if (ctx.custom !== undefined) {
      const names = keys(ctx.custom);
      for (let i = 0; i < names.length; i++) {
        if (!hasOwn(options, names[i])) define(options, names[i], ctx.custom[names[i]], true);
      }
    }
    return options;
  };

  // Returns the text of a custom inspection function, or undefined without such a function.
  const customText = (ctx, value, depth) => {
    const custom = value[customInspect];
    if (typeof custom !== 'function' || custom === inspect) return undefined;
    const { constructor } = value;
    if (constructor && constructor.prototype === value) return undefined;
    const result = apply(custom, value, [ctx.depth - depth, userOptions(ctx), inspect]);
    if (result === value) return undefined;
    if (typeof result !== 'string') return formatValue(ctx, result, depth);
    ctx.budget.left -= result.length;
    return replaceAll(result, '\n', `\n${stringRepeat(' ', ctx.indentation)}`);
  };

  const proxyText = (ctx, pair, depth) => {
    if (depth > ctx.depth) return ctx.stylize('Proxy [Array]', 'special');
    const output = list();
    ctx.indentation += 2;
    output[0] = formatValue(ctx, pair[0], depth + 1);
    output[1] = formatValue(ctx, pair[1], depth + 1);
    ctx.indentation -= 2;
    return join(ctx, output, '', 'Proxy [', ']', depth + 1, true);
  };

  /** Returns the name of the constructor, null for a null prototype, or `Object <…>` if only the prototype is known. */
  const constructorName = (ctx, value, kind, depth) => {
    const found = findConstructor(value);
    if (found !== null) return found.name;
    const prototype = getPrototypeOf(value);
    if (prototype === null) return null;
    const name = className(value, kind);
    if (depth > ctx.depth) return `${name} <Complex prototype>`;
    const parent = constructorName(ctx, prototype, 'Object', depth + 1);
    if (parent !== null) return `${name} <${parent}>`;
    return `${name} <${inspect(prototype, { __proto__: null, customInspect: false, depth: -1 })}>`;
  };

  // With `showHidden`, returns the properties of up to three prototypes of a user's class, without functions.
  const prototypeEntries = (ctx, value, depth) => {
    const output = list();
    if (!ctx.showHidden || depth > ctx.depth) return output;
    const found = findConstructor(value);
    let object = getPrototypeOf(value);
    if (found === null || object === null || (found.layer === 1 && isBuiltin(object))) return output;
    const hidden = new Set();
    ctx.seen[ctx.seen.length] = value;
    for (let layer = 0; layer < 3 && object !== null; layer++) {
      if ((layer > 0 || found.layer === 0) && isBuiltin(object)) break;
      const names = ownKeys(object);
      for (let i = 0; i < names.length; i++) {
        const key = names[i];
        if (key === 'constructor' || hasOwn(value, key) || setHas(hidden, key)) continue;
        setAdd(hidden, key);
        const descriptor = descriptorOf(object, key);
        if (typeof descriptor.value === 'function') continue;
        output[output.length] = formatProperty(ctx, object, depth, key, OBJECT, descriptor, value);
      }
      object = getPrototypeOf(object);
    }
    ctx.seen.length--;
    return output;
  };

  const sortEntries = (ctx, output, arrayLike, keyCount) => {
    const comparator = ctx.sorted === true ? undefined : ctx.sorted;
    if (!arrayLike) return arraySort(output, comparator);
    if (keyCount < 2) return output;
    const start = output.length - keyCount;
    const tail = list();
    for (let i = 0; i < keyCount; i++) tail[i] = output[start + i];
    arraySort(tail, comparator);
    for (let i = 0; i < keyCount; i++) output[start + i] = tail[i];
    return output;
  };

  const formatObject = (ctx, value, depth, inTypedArray) => {
    const kind = kindOf(value);
    const constructor = constructorName(ctx, value, kind, depth);
    const tag = tagOf(value, ctx.showHidden);
    const inherited = prototypeEntries(ctx, value, depth);
    const shape = shapeOf(ctx, value, kind, constructor, tag, depth, inTypedArray);
    if (shape.text !== undefined && inherited.length === 0) return shape.text;
    if (depth > ctx.depth) {
      const name = stringSlice(objectPrefix(value, kind, constructor, tag), 0, -1);
      return ctx.stylize(constructor === null ? name : `[${name}]`, 'special');
    }
    ctx.seen[ctx.seen.length] = value;
    ctx.shared.currentDepth = depth + 1;
    const output = shape.entries === undefined ? list() : shape.entries(ctx, value, depth + 1);
    for (let i = 0; i < shape.slots.length; i++) {
      const { name, value: content } = shape.slots[i];
      const known = { __proto__: null, value: content, enumerable: true };
      output[output.length] = formatProperty(ctx, value, depth + 1, name, OBJECT, known);
    }
    const shown = shape.keys;
    const role = shape.arrayLike ? EXTRA : OBJECT;
    let count = 0;
    while (count < shown.length && !exhausted(ctx)) {
      output[output.length] = formatProperty(ctx, value, depth + 1, shown[count], role);
      count++;
    }
    for (let i = 0; i < inherited.length; i++) output[output.length] = inherited[i];
    ctx.seen.length--;
    if (ctx.sorted) sortEntries(ctx, output, shape.arrayLike, count);
    if (count < shown.length) output[output.length] = remainingText(shown.length - count, 'property', 'properties');
    let { base, open } = shape;
    const index = ctx.shared.circular === undefined ? undefined : mapGet(ctx.shared.circular, value);
    if (index !== undefined) {
      const reference = ctx.stylize(`<ref *${index}>`, 'special');
      if (ctx.compact === true) open = `${reference} ${open}`;
      else base = base === '' ? reference : `${reference} ${base}`;
    }
    return join(ctx, output, base, open, shape.close, depth + 1, shape.arrayLike, value);
  };

  const formatGuarded = (ctx, value, depth, inTypedArray) => {
    let object = value;
    if (isProxy !== undefined && proxyTarget !== undefined && isProxy(value)) {
      const pair = proxyTarget(value);
      if (!pair || pair[0] === null) return ctx.stylize('<Revoked Proxy>', 'special');
      if (ctx.showProxy) return proxyText(ctx, pair, depth);
      while (isProxy(object)) object = proxyTarget(object)?.[0] ?? null;
      if (object === null) return ctx.stylize('<Revoked Proxy>', 'special');
    }
    if (ctx.customInspect) {
      const text = customText(ctx, object, depth);
      if (text !== undefined) return text;
    }
    if (wasSeen(ctx, object)) return circularText(ctx, object);
    return formatObject(ctx, object, depth, inTypedArray);
  };

  /** Formats a value at a depth. Errors thrown by user code become a short text. */
  const formatValue = (ctx, value, depth, inTypedArray = false) => {
    if (value === null || (typeof value !== 'object' && typeof value !== 'function')) {
      return formatPrimitive(ctx, value);
    }
    const { indentation } = ctx;
    const seenCount = ctx.seen.length;
    try {
      ctx.budget.left -= 2;
      return formatGuarded(ctx, value, depth, inTypedArray);
    } catch (error) {
      ctx.indentation = indentation;
      ctx.seen.length = seenCount;
      return ctx.stylize(failureText(error), 'special');
    }
  };

  const getterText = (ctx, descriptor, original, depth) => {
    const label = descriptor.set === undefined ? 'Getter' : 'Getter/Setter';
    const { getters } = ctx;
    const wanted = getters === true || (getters === 'get' && descriptor.set === undefined)
      || (getters === 'set' && descriptor.set !== undefined);
    if (!wanted) return ctx.stylize(`[${label}]`, 'special');
    const open = ctx.stylize(`[${label}:`, 'special');
    const close = ctx.stylize(']', 'special');
    let value;
    try {
      value = apply(descriptor.get, original, []);
    } catch (error) {
      return `${open} ${failureText(error)}${close}`;
    }
    ctx.indentation += 2;
    const text = formatValue(ctx, value, depth);
    ctx.indentation -= 2;
    if (typeof value === 'object' && value !== null) return `${ctx.stylize(`[${label}]`, 'special')} ${text}`;
    return `${open} ${text}${close}`;
  };

  /** Formats one property as `key: value`, or only the value of an array element. */
  const formatProperty = (ctx, value, depth, key, role, known, original = value) => {
    const descriptor = known ?? descriptorOf(value, key) ?? { __proto__: null, value: value[key], enumerable: true };
    let text;
    let gap = ' ';
    if (descriptor.value !== undefined) {
      const indent = ctx.compact === true && role === OBJECT ? 3 : 2;
      ctx.indentation += indent;
      text = formatValue(ctx, descriptor.value, depth);
      if (indent === 3 && ctx.breakLength < textWidth(text)) gap = `\n${stringRepeat(' ', ctx.indentation)}`;
      ctx.indentation -= indent;
    } else if (descriptor.get !== undefined) {
      text = getterText(ctx, descriptor, original, depth);
    } else if (descriptor.set !== undefined) {
      text = ctx.stylize('[Setter]', 'special');
    } else {
      text = ctx.stylize('undefined', 'undefined');
    }
    if (role === ELEMENT) return text;
    const name = formatKey(ctx, key, descriptor.enumerable);
    ctx.budget.left -= name.length;
    return `${name}:${gap}${text}`;
  };

  const applyOptions = (ctx, options) => {
    const names = keys(options);
    for (let i = 0; i < names.length; i++) {
      const name = names[i];
      if (hasOwn(defaults, name) || name === 'stylize') ctx[name] = options[name];
      else ctx.custom = options;
    }
  };

  const makeContext = (options, budget) => {
    const ctx = {
      __proto__: null,
      ...defaults,
      budget,
      custom: undefined,
      formatProperty,
      formatValue,
      indentation: 0,
      seen: list(),
      shared: { __proto__: null, circular: undefined, currentDepth: 0 },
      stylize: plain,
    };
    if (typeof options === 'boolean') ctx.showHidden = options;
    else if (typeof options === 'object' && options !== null) applyOptions(ctx, options);
    if (ctx.colors) ctx.stylize = coloured;
    ctx.depth ??= Infinity;
    ctx.maxArrayLength ??= Infinity;
    ctx.maxStringLength ??= Infinity;
    return ctx;
  };

  /** `inspect` charged to a budget `{ left }` that several calls may share. */
  const inspectWithin = (value, options, budget) => {
    try {
      return formatValue(makeContext(options, budget), value, 0);
    } catch (error) {
      return failureText(error);
    }
  };

  /**
   * Returns the text of any value. `options` are Node's, plus `maxChars`: formatting stops after about that many
   * characters. The legacy form `inspect(value, showHidden, depth, colors)` is also supported.
   */
  function inspect(value, options, depth, colors) {
    const limit = typeof options === 'object' && options !== null ? peek(options, 'maxChars') : undefined;
    const budget = { __proto__: null, left: typeof limit === 'number' ? limit : Infinity };
    if (depth === undefined && colors === undefined) return inspectWithin(value, options, budget);
    const legacy = { __proto__: null, depth: depth === undefined ? defaults.depth : depth, colors: Boolean(colors) };
    if (typeof options === 'boolean') legacy.showHidden = options;
    return inspectWithin(value, legacy, budget);
  }
  inspect.custom = customInspect;
  // An accessor, as in Node.js: assigned options change the defaults, and others stay.
  defineProperty(inspect, 'defaultOptions', {
    __proto__: null,
    get: () => defaults,
    set: (options) => {
      if (typeof options !== 'object' || options === null) {
        throw new TypeError('The "options" argument must be of type object.');
      }
      const names = keys(options);
      for (let i = 0; i < names.length; i++) define(defaults, names[i], options[names[i]], true);
    },
    enumerable: true,
    configurable: true,
  });

  internals.inspect = inspect;
  internals.inspectWithin = inspectWithin;
};
