// llm.map(), rlm.map() and agent.map(): one call per item, with limited concurrency; and the key of equal calls.
(internals) => {
  'use strict';
  const { primordials: p, utf8Encode, wellFormed } = internals;
  const { Array, Promise, RangeError, TypeError, Uint8Array } = globalThis;
  const { create, hasOwn, keys } = Object;
  const { promiseThen } = p;
  const promiseResolve = Promise.resolve.bind(Promise);
  const promiseReject = Promise.reject.bind(Promise);
  const from = Array.from.bind(Array);
  const none = new Uint8Array(0);

  /** Default number of concurrent calls. */
  const CONCURRENCY = 16;
  const OPTIONS = { __proto__: null, concurrency: true, settled: true, signal: true };

  /** Converts the result of `fn` for an item to the arguments of a call. */
  const argumentsOf = (kind, made) => {
    if (typeof made === 'string') return [made];
    if (p.isArray(made)) return made;
    if (typeof made === 'object' && made !== null && hasOwn(made, 'query')) {
      const { query, context, ...options } = made;
      return [query, context, options];
    }
    throw new TypeError(`${kind}.map(): the function must give a query, [query, context, options], or { query, context, …options }`);
  };

  const checked = (kind, items, fn, options) => {
    const name = `${kind}.map()`;
    if (typeof fn !== 'function') throw new TypeError(`${name}: the second argument must be a function that makes a query of an item`);
    const given = options ?? create(null);
    if (typeof given !== 'object') throw new TypeError(`${name}: the third argument must be an object of options`);
    const names = keys(given);
    for (let i = 0; i < names.length; i++) {
      if (!hasOwn(OPTIONS, names[i])) throw new TypeError(`${name}: unknown option '${names[i]}'; known: ${p.arrayJoin(keys(OPTIONS), ', ')}`);
    }
    const { concurrency = CONCURRENCY, settled = false, signal } = given;
    if (!p.isInteger(concurrency) || concurrency < 1) throw new RangeError(`${name}: option 'concurrency' must be a whole number from 1`);
    if (signal !== undefined && !internals.isSignal(signal)) throw new TypeError(`${name}: option 'signal' must be an AbortSignal`);
    if (items === undefined || items === null) throw new TypeError(`${name}: the first argument must be a list of items`);
    return { all: from(items), concurrency, settled, signal };
  };

  /**
   * Creates the function `map` of rlm(), llm() or agent(), whose calls `call` starts. Its promise resolves to the answers in the order of
   * the items. The first failed call rejects it, and no further call starts. With `settled`, each answer is as in Promise.allSettled.
   */
  internals.makeMap = (kind, call) => function map(items, fn, options) {
    let all, concurrency, settled, signal;
    try {
      ({ all, concurrency, settled, signal } = checked(kind, items, fn, options));
    } catch (error) {
      return promiseReject(error);
    }
    return new Promise((resolve, reject) => {
      const answers = new Array(all.length);
      let next = 0, running = 0, hasFailed = false;
      const ended = (place, isOk, value) => {
        running--;
        if (hasFailed) return;
        if (settled) answers[place] = isOk ? { status: 'fulfilled', value } : { status: 'rejected', reason: value };
        else if (isOk) answers[place] = value;
        else {
          hasFailed = true;
          reject(value);
          return;
        }
        more();
      };
      const start = (place) => {
        const made = promiseThen(promiseResolve(all[place]), (item) => fn(item, place));
        const answered = promiseThen(made, (made) => {
          const [query, context, own] = argumentsOf(kind, made);
          return call(query, context, signal === undefined ? own : { signal, ...own });
        });
        promiseThen(answered, (value) => ended(place, true, value), (error) => ended(place, false, error));
      };
      const more = () => {
        while (running < concurrency && next < all.length) {
          running++;
          start(next++);
        }
        if (running === 0 && next === all.length) resolve(answers);
      };
      more();
    });
  };

  /** Returns the key that equal calls share. It contains digests of contexts, which may be long. */
  internals.memoKey = (parts) => {
    const whole = p.jsonStringify(parts);
    return p.arrayJoin(from(internals.hash('sha256', none, utf8Encode(wellFormed(whole)), true)), ',');
  };
};
