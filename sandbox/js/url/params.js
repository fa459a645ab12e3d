// URLSearchParams (https://url.spec.whatwg.org/#interface-urlsearchparams).
(internals) => {
  'use strict';

  const {
    TypeError, append, apply, arrayJoin, arraySort, customInspect, define, defineProperty, descriptorOf,
    iteratorPrototype, list, ownKeys, replaceAll, setPrototypeOf, splitOn, stringIncludes, stringIndexOf, stringSlice,
    stringToWellFormed, symbolIterator, symbolToStringTag, toText,
  } = internals.primordials;
  const { asInterface, coded, missing, wrongType } = internals.exceptions;
  const { formEncode, inspect, percentDecode } = internals;

  // https://url.spec.whatwg.org/#concept-urlencoded-parser; names and values alternate in the result.
  const parseForm = (text) => {
    const result = list();
    const source = text[0] === '?' ? stringSlice(text, 1) : text;
    const parts = splitOn(source, '&');
    for (let i = 0; i < parts.length; i++) {
      if (parts[i] === '') continue;
      const at = stringIndexOf(parts[i], '=');
      const name = at === -1 ? parts[i] : stringSlice(parts[i], 0, at);
      const value = at === -1 ? '' : stringSlice(parts[i], at + 1);
      result[result.length] = percentDecode(replaceAll(name, '+', ' '));
      result[result.length] = percentDecode(replaceAll(value, '+', ' '));
    }
    return result;
  };

  const toUsv = (value) => stringToWellFormed(`${value}`);
  const badTuple = () =>
    coded(TypeError, 'ERR_INVALID_TUPLE', 'Each query pair must be an iterable [name, value] tuple');

  // Iterates by the protocol, because the user may have redefined it on purpose.
  const iterate = (iterable, method, visit) => {
    const iterator = apply(method, iterable, []);
    for (let step = iterator.next(); !step.done; step = iterator.next()) visit(step.value);
  };

  const fromPairs = (pairs, method) => {
    const result = list();
    iterate(pairs, method, (pair) => {
      const isObject = (typeof pair === 'object' && pair !== null) || typeof pair === 'function';
      const inner = isObject ? pair[symbolIterator] : undefined;
      if (typeof inner !== 'function') throw badTuple();
      const items = list();
      iterate(pair, inner, (item) => {
        if (items.length === 2) throw badTuple();
        items[items.length] = toUsv(item);
      });
      if (items.length !== 2) throw badTuple();
      result[result.length] = items[0];
      result[result.length] = items[1];
    });
    return result;
  };

  const fromRecord = (record) => {
    const result = list();
    const names = ownKeys(record);
    for (let i = 0; i < names.length; i++) {
      if (!descriptorOf(record, names[i])?.enumerable) continue;
      const name = toUsv(names[i]);
      const value = toUsv(record[names[i]]);
      let at = 0;
      while (at < result.length && result[at] !== name) at += 2;
      result[at] = name;
      result[at + 1] = value;
    }
    return result;
  };

  const fromInit = (init) => {
    if (init === undefined || init === null) return list();
    if (typeof init !== 'object' && typeof init !== 'function') return parseForm(toUsv(init));
    const method = init[symbolIterator];
    if (method === undefined || method === null) return fromRecord(init);
    if (typeof method !== 'function') throw coded(TypeError, 'ERR_ARG_NOT_ITERABLE', 'Query pairs must be iterable');
    return fromPairs(init, method);
  };

  const badThis = (name) => coded(TypeError, 'ERR_INVALID_THIS', `Value of "this" must be of type ${name}`);

  class URLSearchParams {
    #pairs;
    #changed;

    constructor(init = undefined) {
      this.#pairs = fromInit(init);
    }

    /** Returns the list of a URLSearchParams object; throws for anything else. */
    static pairsOf(object) {
      if (typeof object !== 'object' || object === null || !(#pairs in object)) throw badThis('URLSearchParams');
      return object.#pairs;
    }

    /** Registers the URL to update after changes. */
    static attach(object, changed) {
      object.#changed = changed;
    }

    /** Replaces the pairs by those of a query string, without updating the URL that it came from. */
    static reset(object, query) {
      object.#pairs = parseForm(query);
    }

    /** Stores changed pairs and updates the URL. */
    static store(object, pairs) {
      object.#pairs = pairs;
      object.#changed?.();
    }

    get size() {
      return pairsOf(this).length / 2;
    }

    append(name, value) {
      const pairs = pairsOf(this);
      if (arguments.length < 2) throw missing('name', 'value');
      const key = toUsv(name);
      const text = toUsv(value);
      pairs[pairs.length] = key;
      pairs[pairs.length] = text;
      store(this, pairs);
    }

    delete(name, value = undefined) {
      const pairs = pairsOf(this);
      if (arguments.length < 1) throw missing('name');
      const key = toUsv(name);
      const text = value === undefined ? undefined : toUsv(value);
      const kept = list();
      for (let i = 0; i < pairs.length; i += 2) {
        if (pairs[i] === key && (text === undefined || pairs[i + 1] === text)) continue;
        kept[kept.length] = pairs[i];
        kept[kept.length] = pairs[i + 1];
      }
      store(this, kept);
    }

    get(name) {
      const pairs = pairsOf(this);
      if (arguments.length < 1) throw missing('name');
      const key = toUsv(name);
      for (let i = 0; i < pairs.length; i += 2) if (pairs[i] === key) return pairs[i + 1];
      return null;
    }

    getAll(name) {
      const pairs = pairsOf(this);
      if (arguments.length < 1) throw missing('name');
      const key = toUsv(name);
      const values = [];
      for (let i = 0; i < pairs.length; i += 2) if (pairs[i] === key) append(values, pairs[i + 1]);
      return values;
    }

    has(name, value = undefined) {
      const pairs = pairsOf(this);
      if (arguments.length < 1) throw missing('name');
      const key = toUsv(name);
      const text = value === undefined ? undefined : toUsv(value);
      for (let i = 0; i < pairs.length; i += 2) {
        if (pairs[i] === key && (text === undefined || pairs[i + 1] === text)) return true;
      }
      return false;
    }

    set(name, value) {
      const pairs = pairsOf(this);
      if (arguments.length < 2) throw missing('name', 'value');
      const key = toUsv(name);
      const text = toUsv(value);
      const kept = list();
      let found = false;
      for (let i = 0; i < pairs.length; i += 2) {
        if (pairs[i] === key && found) continue;
        kept[kept.length] = pairs[i];
        kept[kept.length] = pairs[i] === key ? text : pairs[i + 1];
        found ||= pairs[i] === key;
      }
      if (!found) {
        kept[kept.length] = key;
        kept[kept.length] = text;
      }
      store(this, kept);
    }

    sort() {
      const pairs = pairsOf(this);
      const order = list();
      for (let i = 0; i < pairs.length; i += 2) order[i / 2] = i;
      // By code units, and stable, as the standard requires.
      arraySort(order, (a, b) => (pairs[a] < pairs[b] ? -1 : pairs[a] > pairs[b] ? 1 : 0));
      const sorted = list();
      for (let i = 0; i < order.length; i++) {
        sorted[2 * i] = pairs[order[i]];
        sorted[2 * i + 1] = pairs[order[i] + 1];
      }
      store(this, sorted);
    }

    entries() {
      pairsOf(this);
      return new SearchParamsIterator(this, 'entries');
    }

    forEach(callback, thisArg = undefined) {
      pairsOf(this);
      if (typeof callback !== 'function') throw wrongType('callback', 'of type function', callback);
      for (let i = 0; i < pairsOf(this).length; i += 2) {
        const pairs = pairsOf(this);
        apply(callback, thisArg, [pairs[i + 1], pairs[i], this]);
      }
    }

    keys() {
      pairsOf(this);
      return new SearchParamsIterator(this, 'keys');
    }

    values() {
      pairsOf(this);
      return new SearchParamsIterator(this, 'values');
    }

    toString() {
      return serialize(pairsOf(this));
    }
  }
  const { attach, pairsOf, reset, store } = URLSearchParams;
  delete URLSearchParams.attach;
  delete URLSearchParams.pairsOf;
  delete URLSearchParams.reset;
  delete URLSearchParams.store;

  const serialize = (pairs) => {
    const parts = list();
    for (let i = 0; i < pairs.length; i += 2) {
      parts[i / 2] = `${formEncode(pairs[i])}=${formEncode(pairs[i + 1])}`;
    }
    return arrayJoin(parts, '&');
  };

  const itemAt = (pairs, index, kind) => {
    if (kind === 'keys') return pairs[index];
    return kind === 'values' ? pairs[index + 1] : [pairs[index], pairs[index + 1]];
  };

  class SearchParamsIterator {
    #params;
    #kind;
    #index = 0;

    constructor(params, kind) {
      this.#params = params;
      this.#kind = kind;
    }

    next() {
      if (typeof this !== 'object' || this === null || !(#params in this)) throw badThis('URLSearchParamsIterator');
      const pairs = pairsOf(this.#params);
      if (this.#index >= pairs.length) return { value: undefined, done: true };
      const value = itemAt(pairs, this.#index, this.#kind);
      this.#index += 2;
      return { value, done: false };
    }

    [customInspect](depth, options) {
      if (depth < 0) return options.stylize('[Object]', 'special');
      const pairs = pairsOf(this.#params);
      const inner = { ...options, depth: depth - 1 };
      const items = [];
      const texts = list();
      for (let i = this.#index; i < pairs.length; i += 2) {
        append(items, itemAt(pairs, i, this.#kind));
        texts[texts.length] = inspect(items[items.length - 1], inner);
      }
      const multiline = stringIncludes(inspect(items, inner), '\n');
      const body = multiline ? `\n  ${arrayJoin(texts, ',\n  ')}` : ` ${arrayJoin(texts, ', ')}`;
      return `URLSearchParams Iterator {${body} }`;
    }
  }
  delete SearchParamsIterator.prototype.constructor;
  setPrototypeOf(SearchParamsIterator.prototype, iteratorPrototype);
  define(SearchParamsIterator.prototype, 'next', SearchParamsIterator.prototype.next, true);
  defineProperty(SearchParamsIterator.prototype, symbolToStringTag, {
    __proto__: null, value: 'URLSearchParams Iterator', configurable: true,
  });

  asInterface(URLSearchParams, 'URLSearchParams');
  define(URLSearchParams.prototype, symbolIterator, URLSearchParams.prototype.entries);
  define(URLSearchParams.prototype, customInspect, function inspectParams(depth, options) {
    const pairs = pairsOf(this);
    if (depth < 0) return options.stylize('[Object]', 'special');
    const inner = { ...options, depth: depth - 1 };
    const name = toText(this.constructor?.name);
    const texts = list();
    let length = -2;
    for (let i = 0; i < pairs.length; i += 2) {
      const text = `${inspect(pairs[i], inner)} => ${inspect(pairs[i + 1], inner)}`;
      texts[texts.length] = text;
      length += text.length + 2;
    }
    if (texts.length === 0) return `${name} {}`;
    if (length > options.breakLength) return `${name} {\n  ${arrayJoin(texts, ',\n  ')} }`;
    return `${name} { ${arrayJoin(texts, ', ')} }`;
  });

  internals.globals.URLSearchParams = URLSearchParams;
  internals.searchParams = { __proto__: null, attach, reset };
};
