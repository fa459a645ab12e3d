// Formats the entries of arrays, typed arrays, buffers, Maps, Sets, their iterators and promises.
(internals) => {
  'use strict';

  const {
    Uint8Array, hasOwn, is, keys, list, mapEntries, mapIteratorNext, mapSize, max, min, numberToString, regexpExec,
    setIteratorNext, setSize, setValues, stringPadStart, typedArrayLength,
  } = internals.primordials;
  const { formatBigInt, formatNumber } = internals.strings;
  const { join } = internals.layout;
  // Host functions that may be missing in an embedding: [state, result] of a promise, entries of an iterator.
  const { promiseState, promiseResult, previewEntries } = internals;

  /** Role of an array element for `formatProperty`, which shows it without its key. */
  const ELEMENT = 1;
  // Longer runs of holes are found by listing the keys instead of trying each index.
  const MAX_HOLE_RUN = 10_000;

  /** Returns the note for entries that are not shown. */
  const remainingText = (count, one = 'item', many = `${one}s`) => `... ${count} more ${count > 1 ? many : one}`;
  const emptyText = (count) => `<${count} empty item${count > 1 ? 's' : ''}>`;
  const shownLength = (ctx, length) => min(max(0, ctx.maxArrayLength), length);
  const exhausted = (ctx) => ctx.budget.left <= 0;
  const push = (output, text) => {
    output[output.length] = text;
  };

  /** Returns the first index from `from` that is not a hole, or `length`. */
  const nextFilled = (array, from, length) => {
    const end = min(length, from + MAX_HOLE_RUN);
    let index = from;
    while (index < end && !hasOwn(array, index)) index++;
    if (index < end || end === length) return index;
    const names = keys(array);
    for (let i = 0; i < names.length; i++) {
      const candidate = +names[i];
      if (regexpExec(/^\d+$/, names[i]) === null) break;
      if (candidate >= index && candidate < length) return candidate;
    }
    return length;
  };

  /** Formats the elements of an array; a run of holes counts as one entry. */
  const arrayEntries = (ctx, array, depth) => {
    const output = list();
    const { length } = array;
    const shown = shownLength(ctx, length);
    let index = 0;
    while (index < length && output.length < shown && !exhausted(ctx)) {
      if (hasOwn(array, index)) {
        push(output, ctx.formatProperty(ctx, array, depth, index, ELEMENT));
        index++;
      } else {
        const next = nextFilled(array, index, length);
        push(output, ctx.stylize(emptyText(next - index), 'undefined'));
        index = next;
      }
    }
    if (index < length) push(output, remainingText(length - index));
    return output;
  };

  /** Formats the elements of a typed array, and its hidden getters with `showHidden`. */
  const typedArrayEntries = (ctx, array, depth) => {
    const output = list();
    const length = typedArrayLength(array);
    const shown = shownLength(ctx, length);
    for (let i = 0; i < shown && !exhausted(ctx); i++) {
      const value = array[i];
      push(output, typeof value === 'bigint'
        ? ctx.stylize(formatBigInt(value, ctx.numericSeparator), 'bigint')
        : ctx.stylize(formatNumber(value, ctx.numericSeparator), 'number'));
      ctx.budget.left -= 4;
    }
    if (length > output.length) push(output, remainingText(length - output.length));
    if (ctx.showHidden) {
      ctx.indentation += 2;
      const names = ['BYTES_PER_ELEMENT', 'length', 'byteLength', 'byteOffset', 'buffer'];
      for (let i = 0; i < names.length; i++) {
        push(output, `[${names[i]}]: ${ctx.formatValue(ctx, array[names[i]], depth, true)}`);
      }
      ctx.indentation -= 2;
    }
    return output;
  };

  /** Formats the bytes of an ArrayBuffer in hexadecimal. */
  const arrayBufferEntries = (ctx, buffer) => {
    const output = list();
    let bytes;
    try {
      bytes = new Uint8Array(buffer);
    } catch {
      push(output, ctx.stylize('(detached)', 'special'));
      return output;
    }
    const length = typedArrayLength(bytes);
    const shown = min(shownLength(ctx, length), max(0, ctx.budget.left));
    let text = '';
    for (let i = 0; i < shown; i++) {
      text += `${i === 0 ? '' : ' '}${stringPadStart(numberToString(bytes[i], 16), 2, '0')}`;
    }
    if (length > shown) text += ` ${remainingText(length - shown, 'byte')}`;
    ctx.budget.left -= text.length;
    push(output, `${ctx.stylize('[Uint8Contents]', 'special')}: <${text}>`);
    return output;
  };

  /** Formats the members of a Set. */
  const setEntries = (ctx, set, depth) => {
    const output = list();
    const size = setSize(set);
    const shown = shownLength(ctx, size);
    const iterator = setValues(set);
    ctx.indentation += 2;
    while (output.length < shown && !exhausted(ctx)) {
      const step = setIteratorNext(iterator);
      if (step.done) break;
      push(output, ctx.formatValue(ctx, step.value, depth));
    }
    ctx.indentation -= 2;
    if (size > output.length) push(output, remainingText(size - output.length));
    return output;
  };

  /** Formats the entries of a Map as `key => value`. */
  const mapPairs = (ctx, map, depth) => {
    const output = list();
    const size = mapSize(map);
    const shown = shownLength(ctx, size);
    const iterator = mapEntries(map);
    ctx.indentation += 2;
    while (output.length < shown && !exhausted(ctx)) {
      const step = mapIteratorNext(iterator);
      if (step.done) break;
      const key = ctx.formatValue(ctx, step.value[0], depth);
      push(output, `${key} => ${ctx.formatValue(ctx, step.value[1], depth)}`);
    }
    ctx.indentation -= 2;
    if (size > output.length) push(output, remainingText(size - output.length));
    return output;
  };

  /** Returns the remaining entries of a Map or Set iterator as `[entries, areKeyValuePairs]`; undefined if unknown. */
  const previewIterator = (value) => (previewEntries === undefined ? undefined : previewEntries(value));

  /** Formats the remaining entries of a Map or Set iterator, without consuming it. */
  const iteratorEntries = (ctx, preview, depth) => {
    const output = list();
    const entries = preview[0];
    const pairs = preview[1];
    const size = pairs ? entries.length / 2 : entries.length;
    const shown = shownLength(ctx, size);
    ctx.indentation += 2;
    while (output.length < shown && !exhausted(ctx)) {
      const i = output.length;
      if (pairs) {
        const pair = list();
        pair[0] = ctx.formatValue(ctx, entries[2 * i], depth);
        pair[1] = ctx.formatValue(ctx, entries[2 * i + 1], depth);
        push(output, join(ctx, pair, '', '[', ']', depth, true));
      } else {
        push(output, ctx.formatValue(ctx, entries[i], depth));
      }
    }
    ctx.indentation -= 2;
    if (size > output.length) push(output, remainingText(size - output.length));
    return output;
  };

  /** Formats a promise as `<pending>`, its value or `<rejected> reason`. Requires the host's `promiseState`. */
  const promiseEntries = (ctx, promise, depth) => {
    const output = list();
    const state = promiseState(promise);
    if (is(state, 'pending') || promiseResult === undefined) {
      push(output, ctx.stylize(`<${state}>`, 'special'));
      return output;
    }
    ctx.indentation += 2;
    const text = ctx.formatValue(ctx, promiseResult(promise), depth);
    ctx.indentation -= 2;
    push(output, state === 'rejected' ? `${ctx.stylize('<rejected>', 'special')} ${text}` : text);
    return output;
  };

  internals.collections = {
    __proto__: null, ELEMENT, arrayBufferEntries, arrayEntries, exhausted, iteratorEntries, mapPairs, previewIterator,
    promiseEntries, remainingText, setEntries, typedArrayEntries,
  };
};
