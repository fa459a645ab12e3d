// Calls of rlm(), llm() and host functions by cells: their promises and their settlement.
(internals) => {
  'use strict';
  const { primordials: p, memoKey, ops, optionsOf } = internals;
  const { argumentText } = internals.values;
  const { Error, Map, Object, Promise, RangeError, Symbol, TypeError } = globalThis;
  const { create, defineProperty, freeze, keys } = Object;
  const { mapDelete, mapGet, mapSet, promiseThen } = p;
  const mapForEach = p.uncurry(Map.prototype.forEach);
  const promiseReject = Promise.reject.bind(Promise);
  const promiseResolve = Promise.resolve.bind(Promise);
  // Keyed by the number as text, because the engine hashes small numbers alike and would search all of them.
  const calls = new Map();
  let pendingCalls = 0;
  let totalCalls = 0;

  let attach;
  let entryOf;
  /** Records that a promise is awaited, if it belongs to a call. */
  let observe;

  /**
   * The promise of a call, which records whether it was ever awaited. Its entry is private and the class is frozen,
   * because model code can access both.
   */
  class Call extends Promise {
    #entry;

    static {
      attach = (promise, entry) => {
        promise.#entry = entry;
      };
      entryOf = (promise) => promise.#entry;
      observe = (promise) => {
        if (#entry in promise && promise.#entry !== undefined) promise.#entry.observed = true;
      };
    }

    static get [Symbol.species]() {
      return Promise;
    }

    then(onFulfilled, onRejected) {
      if (this.#entry !== undefined) this.#entry.observed = true;
      return promiseThen(this, onFulfilled, onRejected);
    }

    /** Converting a call to text means that it was not awaited. */
    toString() {
      const kind = this.#entry?.kind;
      throw new TypeError(`${kind}() gives a promise, which is no text yet: use await ${kind}(…)`);
    }

    /** Returns a promise of the call's status object. */
    status() {
      return statusOf(this.#entry);
    }
  }
  // Printed as a promise, because the model sees it as one.
  defineProperty(Call, 'name', { __proto__: null, value: 'Promise' });
  freeze(Call);
  freeze(Call.prototype);

  /** A call that cannot start rejects like a failed one, so that its caller handles both in one place. */
  const call = (agent, kind, query, context, options) => {
    try {
      return startCall(agent, kind, query, context, options);
    } catch (error) {
      return promiseReject(error);
    }
  };

  /** Throws unless one more call may start. */
  const checkCall = (agent, kind) => {
    const { limits } = internals;
    if (agent.cell === 0) throw new Error(`${kind}() can only be called while a cell runs`);
    if (pendingCalls >= limits.pending_calls) {
      throw new RangeError(`${kind}(): ${pendingCalls} calls are pending, which is the limit; await some of them first`);
    }
    if (totalCalls >= limits.total_calls) {
      throw new RangeError(`${kind}(): this attempt has made ${totalCalls} calls, which is the limit; finish without more`);
    }
  };

  const startCall = (agent, kind, query, context, options) => {
    const { limits } = internals;
    checkCall(agent, kind);
    const question = argumentText(`${kind}(): the query`, query);
    if (question.length > limits.argument_chars) {
      throw new RangeError(`${kind}(): the query has ${question.length} characters; at most ${limits.argument_chars} are allowed`);
    }
    const { json, signal, memo, isTyped } = optionsOf(kind, options);
    if (signal?.aborted) throw signal.reason;
    // A child reads its caller's names, and a call's depth determines its model.
    const key = memo ? memoKey([kind, kind === 'llm' ? agent.info.depth : agent.id, question, argumentText(`${kind}(): the context`, context, kind === 'llm'), json]) : undefined;
    const known = key === undefined ? undefined : mapGet(memos, key);
    if (known !== undefined) return follow(agent, known, signal);
    const type = typeof context;
    const length = type === 'string' ? context.length : -1;
    const promise = pending(agent, kind, isTyped, context, () => ops.call(agent.id, kind, question, json, type, length));
    const entry = entryOf(promise);
    if (key !== undefined) {
      entry.key = key;
      entry.shared = new Call((resolve) => {
        entry.share = resolve;
      });
      mapSet(memos, key, entry);
    }
    if (signal !== undefined) internals.onAbort(signal, () => cancel(entry, signal.reason));
    return promise;
  };

  // ---- cancelled, shared and inspected calls

  /** The first of each set of equal calls, pending or answered, by their common key. */
  const memos = new Map();

  /** Rejects the promise of a call, and cancels its request unless equal calls wait for the answer. */
  const cancel = (entry, reason) => {
    if (entry.settled) return;
    entry.reject(reason);
    if (entry.followers > 0) {
      entry.aborted = true;
      return;
    }
    entry.settled = true;
    pendingCalls--;
    if (entry.key !== undefined) mapDelete(memos, entry.key);
    if (entry.id !== undefined) {
      mapDelete(calls, `${entry.id}`);
      ops.cancelCall(entry.id);
    }
    leave(entry);
  };

  /** Removes an ended call from those that wait for an equal one, which ends if it was aborted and no other call waits. */
  const leave = ({ leader }) => {
    if (leader === undefined) return;
    leader.followers--;
    if (leader.aborted && leader.followers === 0) cancel(leader);
  };

  /** Settles the promise of a call and shares the result with equal calls. */
  const give = (entry, ok, value) => {
    if (ok) entry.resolve(value);
    else entry.reject(value);
    if (entry.share !== undefined) entry.share({ __proto__: null, ok, value });
  };

  /** Creates a call that is settled with the answer of an equal one. */
  const follow = (agent, leader, signal) => {
    const entry = newEntry(agent, leader.kind, false, undefined);
    const promise = promiseOf(entry);
    pendingCalls++;
    mapSet(agent.calls, `equal ${++equals}`, entry);
    if (!leader.settled) ops.followCall(agent.id, leader.id);
    promiseThen(leader.shared, ({ ok, value }) => {
      if (entry.settled) return;
      entry.settled = true;
      entry.ok = ok;
      pendingCalls--;
      give(entry, ok, value);
    });
    entry.leader = leader;
    leader.followers++;
    if (signal !== undefined) internals.onAbort(signal, () => cancel(entry, signal.reason));
    return promise;
  };
  let equals = 0;

  const statusOf = (entry) => {
    if (entry === undefined) return promiseReject(new TypeError('status() is of the promise that rlm() or llm() gave'));
    if (entry.aborted) return promiseResolve(freeze({ state: 'failed' }));
    if (entry.settled || entry.id === undefined) {
      return promiseResolve(freeze({ state: entry.settled ? (entry.ok ? 'answered' : 'failed') : 'running' }));
    }
    try {
      checkCall(entry.agent, 'status');
      const asked = pending(entry.agent, 'status', true, undefined, () => ops.callStatus(entry.agent.id, entry.id));
      // It does not send a request itself.
      totalCalls--;
      return asked;
    } catch (error) {
      return promiseReject(error);
    }
  };

  const newEntry = (agent, kind, json, context) => ({
    __proto__: null, agent, kind, json, context, id: undefined, key: undefined, shared: undefined, share: undefined,
    leader: undefined, followers: 0, observed: false, aborted: false, settled: false, ok: false, resolve: undefined,
    reject: undefined,
  });

  const promiseOf = (entry) => {
    const promise = new Call((resolve, reject) => {
      entry.resolve = resolve;
      entry.reject = reject;
    });
    attach(promise, entry);
    return promise;
  };

  /** Returns the promise of a call that `start` sends to the host. `json`: whether the answer is JSON instead of text, or a function that converts it. */
  const pending = (agent, kind, json, context, start) => {
    const entry = newEntry(agent, kind, json, context);
    const promise = promiseOf(entry);
    const id = start();
    entry.id = id;
    pendingCalls++;
    totalCalls++;
    mapSet(calls, `${id}`, entry);
    mapSet(agent.calls, `${id}`, entry);
    return promise;
  };

  /** Settles a call, with a text or, if it has a schema or is of a host function, with JSON. */
  const settle = (id, ok, body) => {
    const entry = mapGet(calls, `${id}`);
    if (entry === undefined || entry.settled) return;
    entry.settled = true;
    entry.ok = ok;
    pendingCalls--;
    if (!ok) {
      // A later equal call may succeed.
      if (entry.key !== undefined) mapDelete(memos, entry.key);
      return give(entry, false, new Error(body));
    }
    if (!entry.json) return give(entry, true, body);
    let value;
    try {
      value = p.jsonParse(body);
      if (typeof entry.json === 'function') value = entry.json(value);
    } catch (error) {
      return give(entry, false, error);
    }
    give(entry, true, value);
  };

  /** Returns the agent whose cell waits for a call, and the context of the call. */
  const callerOf = (id) => mapGet(calls, `${id}`)?.agent;
  const contextOf = (id) => mapGet(calls, `${id}`)?.context;
  const kindOfCall = (id) => mapGet(calls, `${id}`)?.kind;

  /**
   * Forgets the calls of a cell that ended. Returns the number of unawaited calls, the number of unfinished ones, and the
   * names of the called functions.
   */
  const endCalls = (ended) => {
    let unawaited = 0, unfinished = 0;
    const functions = create(null);
    mapForEach(ended, (entry, id) => {
      if (!entry.observed || !(entry.settled || entry.aborted)) functions[entry.kind] = true;
      if (!entry.observed) unawaited++;
      if (!entry.settled) {
        if (!entry.aborted) unfinished++;
        pendingCalls--;
        // Later events, such as an aborted signal, have no effect.
        entry.settled = true;
        if (entry.key !== undefined) mapDelete(memos, entry.key);
        if (entry.followers > 0) {
          const value = new Error('the cell that made this call ended before it was answered');
          entry.share({ __proto__: null, ok: false, value });
        }
        leave(entry);
      }
      mapDelete(calls, id);
    });
    return { __proto__: null, unawaited, unfinished, functions: p.arrayJoin(keys(functions), ' ') };
  };

  internals.calls = { __proto__: null, call, callerOf, checkCall, contextOf, endCalls, kindOfCall, observe, pending, settle };
};
