// Lists the variables of an agent: name, type, size and first line. Does not run code of the inspected values.
(internals) => {
  'use strict';
  const { isProxy, ops, primordials: p, wellFormed } = internals;
  const { kindOf } = internals.kinds;
  const { keys } = Object;

  /** Maximum variables listed; if there are more, the newest are. */
  const MOST = 100;
  /** Maximum characters of a first line, and of a part of one. */
  const LINE = 80;
  const PART = 30;
  /** Maximum properties counted in total, because listing the keys of an object takes time for each of them. */
  const COUNTED = 200_000;
  /** Larger numbers take long to convert to text. */
  const LARGE = 2n ** 256n;
  const MAX_PROTOTYPES = 100;

  const cut = (text, most) => (text.length > most ? `${p.stringSlice(text, 0, most)}…` : text);

  /** Shortens a text and removes characters that a terminal or a prompt would interpret. */
  const plain = (text) => {
    let shown = '';
    for (let i = 0; i < text.length; i++) {
      const code = p.stringCharCodeAt(text, i);
      shown += code < 32 || (code >= 127 && code < 160) ? ' ' : text[i];
    }
    return shown;
  };

  const firstLine = (text) => {
    const start = p.stringSlice(text, 0, LINE + 1);
    const end = p.stringIndexOf(start, '\n');
    return plain(end < 0 ? cut(start, LINE) : `${p.stringSlice(start, 0, end)}…`);
  };

  /** Whether determining the kind of an object may run code of the object or its prototypes. */
  const isGuarded = (value) => {
    let object = value;
    for (let layer = 0; object !== null && layer < MAX_PROTOTYPES; layer++) {
      if (isProxy(object)) return true;
      object = p.getPrototypeOf(object);
    }
    return object !== null;
  };

  /** Formats a value inside another in a few characters. */
  const part = (value) => {
    if (typeof value === 'string') return cut(p.jsonStringify(cut(value, PART)), PART + 2);
    if (typeof value === 'bigint' || typeof value === 'symbol') return typeof value;
    if (value === null || typeof value !== 'object') return typeof value === 'function' ? 'function' : p.toText(value);
    return isGuarded(value) ? 'object' : kindOf(value);
  };

  const ofArray = (value) => {
    const parts = p.list();
    const shown = p.min(value.length, 3);
    for (let i = 0; i < shown; i++) {
      const descriptor = p.descriptorOf(value, i);
      parts[i] = descriptor === undefined ? '' : 'value' in descriptor ? part(descriptor.value) : '[Getter]';
    }
    if (value.length > shown) parts[shown] = '…';
    return `[${p.arrayJoin(parts, ', ')}]`;
  };

  const ofObject = (names) => {
    const parts = p.list();
    const shown = p.min(names.length, 8);
    for (let i = 0; i < shown; i++) parts[i] = plain(cut(names[i], PART));
    if (names.length > shown) parts[shown] = '…';
    return names.length === 0 ? '{}' : `{ ${p.arrayJoin(parts, ', ')} }`;
  };

  const size = (count, unit) => `${count} ${unit}${count === 1 ? '' : 's'}`;

  /** Without a prototype, to which a cell may have added properties. */
  const shown = (type, size, first) => ({ __proto__: null, type, size, first });

  const ofFunction = (value) => {
    const source = ops.unmark(p.functionToString(value));
    return shown(p.stringStartsWith(source, 'class') ? 'class' : 'function', undefined, firstLine(source));
  };

  const ofKind = (value, kind, budget) => {
    if (kind === 'Array') return shown(kind, size(value.length, 'item'), ofArray(value));
    if (kind === 'Map') return shown(kind, size(p.mapSize(value), 'item'));
    if (kind === 'Set') return shown(kind, size(p.setSize(value), 'item'));
    if (kind === 'TypedArray') return shown(p.typedArrayName(value), size(p.typedArrayLength(value), 'item'));
    if (kind === 'ArrayBuffer') return shown(kind, size(p.arrayBufferByteLength(value), 'byte'));
    if (kind === 'Date') {
      const time = p.dateGetTime(value);
      return shown(kind, undefined, time === time ? p.dateToISOString(value) : 'Invalid Date');
    }
    if (kind === 'Error') {
      const message = p.descriptorOf(value, 'message')?.value;
      return shown(kind, undefined, typeof message === 'string' ? firstLine(message) : undefined);
    }
    if (kind !== 'Object' || budget.left <= 0) return shown(kind);
    const names = keys(value);
    budget.left -= names.length;
    return shown(kind, size(names.length, 'key'), ofObject(names));
  };

  const describe = (value, budget) => {
    if (value === null) return shown('null');
    switch (typeof value) {
      case 'string':
        return shown('string', size(value.length, 'character'), firstLine(value));
      case 'bigint':
        return shown('bigint', undefined, value < LARGE && value > -LARGE ? p.toText(value) : undefined);
      case 'symbol':
        return shown('symbol', undefined, firstLine(p.symbolToString(value)));
      case 'undefined':
        return shown('undefined');
      case 'object':
        return isGuarded(value) ? shown(isProxy(value) ? 'Proxy' : 'object') : ofKind(value, kindOf(value), budget);
      case 'function':
        return isProxy(value) ? shown('Proxy') : ofFunction(value);
      default:
        return shown(typeof value, undefined, p.toText(value));
    }
  };

  /** Returns the variables of a scope and of the agent's `local` object as JSON for the host. */
  internals.variablesOf = (scope, local) => {
    const all = p.ownKeys(scope);
    const budget = { __proto__: null, left: COUNTED };
    const listed = p.list();
    const list = (name, value) => {
      const { type, size, first } = describe(value, budget);
      listed[listed.length] = { __proto__: null, name: cut(name, LINE), type, size, first };
    };
    for (let i = p.max(0, all.length - MOST); i < all.length; i++) list(all[i], scope[all[i]]);
    if (isGuarded(local) || keys(local).length > 0) list('__ctx.local', local);
    return wellFormed(p.jsonStringify({ __proto__: null, listed, left_out: p.max(0, all.length - MOST) }));
  };
};
