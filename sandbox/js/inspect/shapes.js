// Determines how an object is shown: its text before the braces, the braces, the entries and the keys.
(internals) => {
  'use strict';

  const {
    arrayBufferByteLength, dataViewBuffer, dataViewByteLength, dataViewByteOffset, dateGetTime, dateToISOString,
    dateToString, isNaN, list, mapSize, objectToString, regexpDotAll, regexpGlobal, regexpHasIndices,
    regexpIgnoreCase, regexpMultiline, regexpSource, regexpSticky, regexpUnicode, regexpUnicodeSets, setSize,
    stringEndsWith, stringSlice, stringToLowerCase, stringValueOf, typedArrayLength, typedArrayName,
  } = internals.primordials;
  const { namedKeys, visibleKeys } = internals.kinds;
  const { boxedText, functionText, isBoxed, prefix } = internals.names;
  const { formatError } = internals.errors;
  const {
    arrayBufferEntries, arrayEntries, iteratorEntries, mapPairs, previewIterator, promiseEntries, setEntries,
    typedArrayEntries,
  } = internals.collections;
  // A host function that may be missing in an embedding.
  const { promiseState } = internals;

  /**
   * Creates a shape: only `text`, or `base`, `open`, `close`, `keys` and optionally `entries(ctx, value, depth)` and
   * `slots`, which are shown before the keys. `arrayLike` allows entries in columns.
   */
  const shape = (fields) => ({
    __proto__: null, text: undefined, base: '', open: '{', close: '}', entries: undefined, slots: list(),
    arrayLike: false, ...fields,
  });
  const noEntries = () => list();
  const unknownItems = (ctx) => {
    const output = list();
    output[0] = ctx.stylize('<items unknown>', 'special');
    return output;
  };

  const sized = (open, close, size, keys, entries, arrayLike) =>
    shape({ open, close, keys, entries, arrayLike, text: size === 0 && keys.length === 0 ? open + close : undefined });

  // V8's class name for an object without a constructor.
  const className = (value, kind) => (kind === 'TypedArray' ? typedArrayName(value) : kind);

  const objectPrefix = (value, kind, constructor, tag) => {
    let fallback = '';
    if (constructor === null) {
      fallback = className(value, kind);
      if (fallback === tag) fallback = 'Object';
    }
    return prefix(constructor, tag, fallback);
  };

  const flagGetters = [
    regexpHasIndices, regexpGlobal, regexpIgnoreCase, regexpMultiline, regexpDotAll, regexpUnicode, regexpUnicodeSets,
    regexpSticky,
  ];
  /** Returns the flags of a regular expression, read from its slots. */
  const regexpFlags = (value) => {
    let flags = '';
    for (let i = 0; i < flagGetters.length; i++) {
      if (flagGetters[i] !== undefined && flagGetters[i](value)) flags += 'dgimsuvy'[i];
    }
    return flags;
  };
  const regexpText = (value) => `/${regexpSource(value)}/${regexpFlags(value)}`;
  const dateText = (value) => (isNaN(dateGetTime(value)) ? dateToString(value) : dateToISOString(value));

  // A leading text, followed by properties if there are any.
  const withBase = (base, keys, text = base) => shape({ base, keys, text: keys.length === 0 ? text : undefined });
  const titled = (text, constructor, tag, kind) => {
    const title = prefix(constructor, tag, kind);
    return title === `${kind} ` ? text : title + text;
  };

  const slot = (name, value) => ({ __proto__: null, name, value });

  const iteratorShape = (ctx, value, kind, tag) => {
    const preview = previewIterator(value);
    if (preview === undefined) return undefined;
    let title = tag === kind ? kind : `${tag === '' ? '' : `${tag}] [`}${kind}`;
    if (preview[1] && stringEndsWith(title, ' Iterator')) title = `${stringSlice(title, 0, -9)} Entries`;
    return shape({
      open: `[${title}] {`,
      keys: visibleKeys(value, ctx.showHidden),
      entries: (context, object, depth) => iteratorEntries(context, preview, depth),
    });
  };

  const bufferShape = (ctx, value, constructor, tag, inTypedArray) => {
    const keys = visibleKeys(value, ctx.showHidden);
    const title = prefix(constructor, tag, 'ArrayBuffer');
    const length = arrayBufferByteLength(value);
    if (inTypedArray && keys.length === 0) {
      return shape({ keys, text: `${title}{ byteLength: ${ctx.stylize(`${length}`, 'number')} }` });
    }
    return shape({
      open: `${title}{`,
      keys,
      slots: [slot('byteLength', length)],
      entries: inTypedArray ? noEntries : arrayBufferEntries,
    });
  };

  const plainShape = (ctx, value, kind, constructor, tag) => {
    const keys = visibleKeys(value, ctx.showHidden);
    if (constructor === 'Object') {
      let open = tag === '' ? '{' : `${prefix(constructor, tag, 'Object')}{`;
      if (objectToString(value) === '[object Arguments]' && tag === '') open = '[Arguments] {';
      return sized(open, '}', 0, keys);
    }
    return sized(`${objectPrefix(value, kind, constructor, tag)}{`, '}', 0, keys);
  };

  /** Returns the shape of an object of a kind (see `kindOf`); `constructor` is its constructor's name or null. */
  const shapeOf = (ctx, value, kind, constructor, tag, depth, inTypedArray) => {
    const { showHidden } = ctx;
    switch (kind) {
      case 'Array': {
        const { length } = value;
        const title = constructor === 'Array' && tag === '' ? '' : prefix(constructor, tag, 'Array', `(${length})`);
        return sized(`${title}[`, ']', length, namedKeys(value, length, showHidden), arrayEntries, true);
      }
      case 'Set': {
        const size = setSize(value);
        const open = `${prefix(constructor, tag, 'Set', `(${size})`)}{`;
        return sized(open, '}', size, visibleKeys(value, showHidden), setEntries);
      }
      case 'Map': {
        const size = mapSize(value);
        const open = `${prefix(constructor, tag, 'Map', `(${size})`)}{`;
        return sized(open, '}', size, visibleKeys(value, showHidden), mapPairs);
      }
      case 'TypedArray': {
        const length = typedArrayLength(value);
        const fallback = constructor === null ? typedArrayName(value) : '';
        const open = `${prefix(constructor, tag, fallback, `(${length})`)}[`;
        return sized(open, ']', length + (showHidden ? 1 : 0), namedKeys(value, length, showHidden), typedArrayEntries,
          true);
      }
      case 'Map Iterator':
      case 'Set Iterator': {
        const result = iteratorShape(ctx, value, kind, tag);
        if (result !== undefined) return result;
        break;
      }
      case 'Function': {
        const base = functionText(value, constructor, tag);
        return withBase(base, visibleKeys(value, showHidden), ctx.stylize(base, 'special'));
      }
      default:
    }
    if (constructor === 'Object') return plainShape(ctx, value, kind, constructor, tag);
    switch (kind) {
      case 'RegExp': {
        const base = titled(regexpText(value), constructor, tag, kind);
        const result = withBase(base, visibleKeys(value, showHidden), ctx.stylize(base, 'regexp'));
        if (depth > ctx.depth) result.text = ctx.stylize(base, 'regexp');
        return result;
      }
      case 'Date': {
        const base = titled(dateText(value), constructor, tag, kind);
        return withBase(base, visibleKeys(value, showHidden), ctx.stylize(base, 'date'));
      }
      case 'Error': {
        const { text, keys } = formatError(ctx, value, constructor, tag, visibleKeys(value, showHidden));
        return withBase(text, keys);
      }
      case 'ArrayBuffer': return bufferShape(ctx, value, constructor, tag, inTypedArray);
      case 'DataView': return shape({
        open: `${prefix(constructor, tag, kind)}{`,
        keys: visibleKeys(value, showHidden),
        slots: [
          slot('byteLength', dataViewByteLength(value)),
          slot('byteOffset', dataViewByteOffset(value)),
          slot('buffer', dataViewBuffer(value)),
        ],
      });
      case 'Promise': {
        if (promiseState === undefined) break;
        return shape({
          open: `${prefix(constructor, tag, kind)}{`,
          keys: visibleKeys(value, showHidden),
          entries: promiseEntries,
        });
      }
      case 'WeakSet':
      case 'WeakMap': return shape({
        open: `${prefix(constructor, tag, kind)}{`,
        keys: visibleKeys(value, showHidden),
        entries: unknownItems,
      });
      default:
    }
    if (isBoxed(kind)) {
      const keys = kind === 'String'
        ? namedKeys(value, stringValueOf(value).length, showHidden)
        : visibleKeys(value, showHidden);
      const base = boxedText(ctx, value, kind, constructor, tag);
      return withBase(base, keys, ctx.stylize(base, stringToLowerCase(kind)));
    }
    const href = depth > ctx.depth ? undefined : internals.hrefOf(value);
    if (href !== undefined) return withBase(href, visibleKeys(value, showHidden));
    return plainShape(ctx, value, kind, constructor, tag);
  };

  /** Returns the address of a URL object, or undefined. The URL class replaces this function. */
  internals.hrefOf = () => undefined;
  internals.shapes = { __proto__: null, className, objectPrefix, regexpFlags, shapeOf };
};
