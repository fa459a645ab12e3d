// Scopes and globals of all agents in this isolate, and the functions that the host calls.
//
// A scope is an object with a null-rooted prototype chain: own names → the agent's globals → the parent's
// names → the parent's globals → … → `missing`. Model code cannot access a scope; only rewritten cells do.
(internals) => {
  'use strict';
  const { primordials: p, ops, giveFunctions, makeConsole, makeMap, require, wellFormed } = internals;
  const { call, callerOf, checkCall, contextOf, endCalls, kindOfCall, observe, pending, settle } = internals.calls;
  const { argumentText, textOf } = internals.values;
  const { Error, Map, Object, Promise, Proxy, RangeError, ReferenceError, Symbol, TypeError } = globalThis;
  const { create, defineProperty, freeze, hasOwn, keys } = Object;
  const { mapDelete, mapGet, mapHas, mapSet, mapSize, promiseThen, toText } = p;
  const global = globalThis;
  const mapForEach = p.uncurry(Map.prototype.forEach);
  const locals = new Map();
  // Keyed by the number as text, because the engine hashes small numbers alike and would search all of them.
  const agents = new Map();
  let rootData;

  const agentOf = (id) => mapGet(agents, `${id}`);

  const reflectSet = Reflect.set;
  /** Names of the global object before any cell ran. */
  let builtinNames;

  /** Whether an agent put this name on `globalThis`. */
  const isSharedName = (name) => hasOwn(global, name) && !hasOwn(builtinNames, name);

  /**
   * The end of every scope chain: names that agents put on `globalThis`, or a ReferenceError. Assigning such a name
   * without declaring it assigns it there; any other becomes the agent's own.
   */
  const missing = new Proxy(create(null), {
    __proto__: null,
    set(_target, name, value, receiver) {
      if (isSharedName(name)) return reflectSet(global, name, value);
      hidden(receiver, name, value);
      return true;
    },
    get(_target, name) {
      if (name in global) return global[name];
      throw new ReferenceError(`${p.toText(name)} is not defined${internals.instead.ofGlobal(name)}`);
    },
    has: (_target, name) => name in global,
  });

  const refuse = () => {
    throw new TypeError('Assignment to constant variable.');
  };
  /** Target of a write to a `const` of the same cell. */
  const constant = new Proxy(create(null), { __proto__: null, get: refuse, set: refuse });

  const hidden = (object, name, value) =>
    defineProperty(object, name, { __proto__: null, value, writable: true, enumerable: true, configurable: true });

  const namesOf = (object) => {
    const names = create(null);
    const all = p.ownKeys(object);
    for (let i = 0; i < all.length; i++) names[all[i]] = true;
    return names;
  };

  const property = (object, name) => {
    try {
      const value = object[name];
      return value === undefined ? undefined : toText(value);
    } catch {
      return undefined;
    }
  };

  const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';

  /** Maximum characters of a thrown value that are reported. */
  const MESSAGE_CHARS = 10_000;

  /** Returns a text within that limit, cut in the middle. */
  const short = (text) => {
    if (text.length <= MESSAGE_CHARS) return text;
    const half = MESSAGE_CHARS / 2;
    const omitted = text.length - MESSAGE_CHARS;
    return `${p.stringSlice(text, 0, half)}… [${omitted} characters omitted here] …${p.stringSlice(text, -half)}`;
  };

  /** Returns `Name: message` of any thrown value as `head`, and the frames of its stack, if any. Never throws. */
  const describe = (thrown) => {
    const { head, stack } = describeWhole(thrown);
    return { head: short(head), stack: p.stringSlice(stack, 0, MESSAGE_CHARS) };
  };

  const describeWhole = (thrown) => {
    if (!isObject(thrown)) return { head: `Uncaught ${toText(thrown)}`, stack: '' };
    const message = property(thrown, 'message');
    if (message === undefined && property(thrown, 'stack') === undefined) {
      return { head: `Uncaught ${internals.inspect(thrown, { __proto__: null, maxChars: 2000 })}`, stack: '' };
    }
    const name = property(thrown, 'name') ?? 'Error';
    return { head: message ? `${name}: ${message}` : name, stack: property(thrown, 'stack') ?? '' };
  };

  internals.errorText = (error) => describe(error).head;

  // ---- budget()

  /** Returns the remaining budget of an agent: null where there is no limit. */
  const budget = (agent) => {
    const { iteration, maxIterations } = agent.env.__rlm ?? agent.info;
    const iterations = maxIterations - (iteration ?? 0);
    return freeze({ iterations, ...p.jsonParse(ops.budget()) });
  };

  // ---- timers

  let idOf;

  const addTimer = (agent, callback, delay, args, repeat) => {
    if (typeof callback !== 'function') throw new TypeError('The "callback" argument must be of type function.');
    if (agent.cell === 0) throw new Error('timers can only be started while a cell runs');
    if (mapSize(agent.timers) >= internals.limits.timers) {
      throw new RangeError(`${internals.limits.timers} timers are pending, which is the limit`);
    }
    const milliseconds = +delay > 0 ? +delay : 0;
    const id = ops.startTimer(agent.id, milliseconds);
    mapSet(agent.timers, id, { __proto__: null, id, callback, args, milliseconds, repeat, live: id });
    mapSet(agent.live, id, id);
    return new Timeout(agent, id);
  };

  /** The agent whose turn it is. It owns the timers started by code that all agents share. */
  let turnOf;
  internals.after = (milliseconds, callback) => addTimer(turnOf, callback, milliseconds, [], false);

  /** A timer object as in Node.js. `ref()` and `unref()` have no effect, because it ends with its cell. */
  class Timeout {
    #agent;
    #id;
    #isWaitedFor = true;
    static {
      idOf = (value) => {
        if (isObject(value)) return #id in value ? value.#id : undefined;
        return +value;
      };
    }
    constructor(agent, id) {
      this.#agent = agent;
      this.#id = id;
    }
    ref() {
      this.#isWaitedFor = true;
      return this;
    }
    unref() {
      this.#isWaitedFor = false;
      return this;
    }
    hasRef() {
      return this.#isWaitedFor;
    }
    refresh() {
      const timer = mapGet(this.#agent.timers, this.#id);
      if (timer !== undefined) {
        mapDelete(this.#agent.live, timer.live);
        ops.cancelTimer(timer.live);
        timer.live = ops.startTimer(this.#agent.id, timer.milliseconds);
        mapSet(this.#agent.live, timer.live, timer.id);
      }
      return this;
    }
    close() {
      clearTimer(this.#agent, this);
      return this;
    }
    [Symbol.toPrimitive]() {
      return this.#id;
    }
  }

  const clearTimer = (agent, given) => {
    const id = idOf(given);
    const timer = mapGet(agent.timers, id);
    if (timer === undefined) return;
    mapDelete(agent.timers, id);
    mapDelete(agent.live, timer.live);
    ops.cancelTimer(timer.live);
  };

  /** Fires the host's timer `live` of an agent. A repeating timer keeps the id that the model knows. */
  const fireTimer = (agentId, live) => {
    const agent = agentOf(agentId);
    if (agent === undefined) return;
    turnOf = agent;
    const timer = mapGet(agent.timers, mapGet(agent.live, live));
    if (timer === undefined) return;
    mapDelete(agent.live, live);
    if (!timer.repeat) {
      mapDelete(agent.timers, timer.id);
    } else {
      timer.live = ops.startTimer(agentId, timer.milliseconds);
      mapSet(agent.live, timer.live, timer.id);
    }
    try {
      p.apply(timer.callback, undefined, timer.args);
    } catch (error) {
      ops.write(agentId, `Uncaught (in timer) ${describe(error).head}`, 0);
    }
  };

  // ---- the agents

  const rlmInfo = (agent, iteration) => freeze({ ...agent.info, iteration });

  /** Creates the functions of an agent that call models, as selected by the host. */
  const modelCalls = { __proto__: null, oftree: ['rlm', 'llm'], ofprogram: ['agent', 'llm'], none: [] };

  const globalsOf = (agent, kinds) => {
    const { env } = agent;
    const shared = freeze({ __proto__: null, data: rootData });
    const ctx = {
      __proto__: null,
      shared,
      get local() {
        return mapGet(locals, agent.info.invocationId);
      },
      set local(value) {
        if (!isObject(value)) throw new TypeError('__ctx.local must be an object');
        mapSet(locals, agent.info.invocationId, value);
      },
      readLocal: (id) => {
        const local = mapGet(locals, toText(id));
        return local === undefined ? undefined : freeze({ ...local });
      },
    };
    hidden(env, 'console', makeConsole((line, hidden) => ops.write(agent.id, line, hidden), internals.plainConsole));
    hidden(env, '__ctx', freeze(ctx));
    for (let i = 0; i < kinds.length; i++) {
      const kind = kinds[i];
      const start = (query, context, options) => call(agent, kind, query, context, options);
      const { [kind]: ask } = { [kind]: kind === 'agent' ? (query, options) => start(query, isObject(options) ? options.context : undefined, options) : start };
      defineProperty(ask, 'map', { __proto__: null, value: makeMap(kind, start) });
      hidden(env, kind, ask);
    }
    // Functions that only its ancestors have are undefined in this agent.
    for (let next = agent.parent; next !== undefined; next = next.parent) if (next.runsProgram) hidden(env, 'agent', undefined);
    hidden(env, 'budget', () => budget(agent));
    const timers = timersOf(agent);
    const names = keys(timers);
    for (let i = 0; i < names.length; i++) hidden(env, names[i], timers[names[i]]);
    hidden(env, 'require', (name) => (name === 'timers' || name === 'node:timers' ? { ...timers, promises: promisesOf(agent) }
      : name === 'timers/promises' || name === 'node:timers/promises' ? promisesOf(agent) : require(name)));
  };

  /** Creates the timer functions of an agent. */
  const timersOf = (agent) => {
    const clear = (id) => clearTimer(agent, id);
    const timers = {
      setTimeout: (callback, delay, ...args) => addTimer(agent, callback, delay, args, false),
      setInterval: (callback, delay, ...args) => addTimer(agent, callback, delay, args, true),
      setImmediate: (callback, ...args) => addTimer(agent, callback, 0, args, false),
      clearTimeout: clear,
      clearInterval: (id) => clearTimer(agent, id),
      clearImmediate: (id) => clearTimer(agent, id),
    };
    const promises = promisesOf(agent);
    const promised = ['setTimeout', 'setImmediate'];
    for (let i = 0; i < promised.length; i++) {
      const get = () => promises[promised[i]];
      defineProperty(timers[promised[i]], p.customPromisify, { __proto__: null, get, enumerable: true });
    }
    return timers;
  };

  /** The module `timers/promises`. */
  const promisesOf = (agent) => {
    const after = (delay, value, options) => new Promise((resolve, reject) => {
      let timer;
      const unwatch = internals.watchSignal(options, (error) => {
        clearTimer(agent, timer);
        reject(error);
      });
      timer = addTimer(agent, () => {
        unwatch();
        resolve(value);
      }, delay, [], false);
    });
    const setTimeout = (delay, value, options) => after(delay, value, options);
    return {
      setTimeout,
      setImmediate: (value, options) => after(0, value, options),
      async* setInterval(delay, value, options) {
        for (;;) yield await after(delay, value, options);
      },
      scheduler: { wait: (delay, options) => after(delay, undefined, options), yield: () => after(0) },
    };
  };

  const nextPiece = { __proto__: null, toString: ops.nextPiece };

  /**
   * Returns a text that arrives in this many pieces. Requests each piece only when it is appended, so that the engine
   * never holds all pieces in addition to the whole.
   */
  const gather = (length) => {
    const pieces = { __proto__: null, length };
    for (let i = 0; i < length; i++) pieces[i] = nextPiece;
    return p.arrayJoin(pieces, '');
  };

  /**
   * Opens an agent. `context` is a text, or the number of pieces in which a text arrives; without one, it is the
   * context argument of the call that opened this agent.
   */
  const openAgent = (id, parentId, infoJson, context, callId, functionsJson) => {
    const parent = agentOf(parentId);
    const env = create(parent === undefined ? missing : parent.scope);
    const info = p.jsonParse(infoJson);
    freeze(info.lineage);
    const functions = p.jsonParse(functionsJson);
    const agent = {
      __proto__: null, id, parent, env, info, scope: create(env), cell: 0, functions: undefined, runsProgram: functions.calls === 'ofprogram',
      calls: new Map(), timers: new Map(), live: new Map(), received: new Map(),
    };
    if (callId !== 0) context = contextOf(callId);
    else if (typeof context === 'number') context = gather(context);
    context ??= '';
    if (parent === undefined) rootData = context;
    builtinNames ??= namesOf(global);
    mapSet(agents, `${id}`, agent);
    mapSet(locals, info.invocationId, {});
    hidden(env, 'context', context);
    globalsOf(agent, modelCalls[functions.calls]);
    giveFunctions(agent, functions, hidden, checkCall, pending);
  };

  /** Closes an agent. Names that a returning child created and its parent lacks become readable in the parent. */
  const closeAgent = (id, returned) => {
    const agent = agentOf(id);
    if (agent === undefined) return;
    endCell(agent);
    mapDelete(agents, `${id}`);
    if (agent.parent === undefined) {
      // No agent is left to read it.
      mapDelete(locals, agent.info.invocationId);
      return;
    }
    if (!returned) return;
    const names = p.ownKeys(agent.scope);
    for (let i = 0; i < names.length; i++) {
      const name = names[i];
      if (!lacks(agent.parent, name)) continue;
      hidden(agent.parent.scope, name, agent.scope[name]);
      mapSet(agent.parent.received, name, true);
    }
  };

  /**
   * Whether an agent lacks a name. Names that its ancestors received from their children do not count; otherwise a
   * sibling that returned earlier would take the place of the agent's own child.
   */
  const lacks = (agent, name) => {
    if (hasOwn(agent.scope, name) || name in global) return false;
    for (let next = agent; next !== undefined; next = next.parent) {
      if (hasOwn(next.env, name)) return false;
      if (hasOwn(next.scope, name) && !mapHas(next.received, name)) return false;
    }
    return true;
  };

  /** Forgets the pending calls and timers of a finished cell, before any slow operation. */
  const endCell = (agent) => {
    const { calls: ended, timers } = agent;
    agent.calls = new Map();
    agent.timers = new Map();
    agent.live = new Map();
    agent.cell = 0;
    const left = endCalls(ended);
    mapForEach(timers, (timer) => ops.cancelTimer(timer.live));
    return left;
  };

  const runtime = freeze({
    __proto__: null,
    constant,
    // Without a prototype, so that a promise cannot mistake it for a thenable defined by the model.
    returned: (value) => ({ __proto__: null, value }),
    // Target of assignments in strict code, which must not create names.
    known: (scope, name) => {
      if (name in scope) return scope;
      throw new ReferenceError(`${name} is not defined`);
    },
    declare: (scope, names) => {
      for (let i = 0; i < names.length; i++) if (!hasOwn(scope, names[i])) hidden(scope, names[i], undefined);
    },
  });

  /** Names of an agent's globals that a cell may replace permanently, because modules export them as well. */
  const replaceable = namesOf({
    __proto__: null, require: 0, setTimeout: 0, setInterval: 0, setImmediate: 0, clearTimeout: 0, clearInterval: 0, clearImmediate: 0,
  });

  /** Restores names of the REPL that a cell declared or assigned, and reports that. */
  const restoreNames = (agent) => {
    const { env, scope } = agent;
    const own = p.ownKeys(env);
    let lost = '';
    for (let i = 0; i < own.length; i++) {
      const name = own[i];
      if (hasOwn(replaceable, name) || !hasOwn(scope, name) || env[name] === undefined) continue;
      const isSame = scope[name] === env[name];
      delete scope[name];
      if (!isSame) lost += `${lost === '' ? '' : ', '}\`${toText(name)}\``;
    }
    if (lost !== '') {
      ops.write(agent.id, `note: what this cell assigned to ${lost} was for this cell only, because the REPL itself has that name; use another name`, 0);
    }
  };

  const finish = (agent, cell, status, body, stack) => {
    if (agent.cell !== cell) return;
    const { unawaited, unfinished, functions } = endCell(agent);
    restoreNames(agent);
    const lost = status === 'threw' ? unawaited : unawaited > unfinished ? unawaited : unfinished;
    ops.done(agent.id, cell, status, body, stack, lost, functions);
  };

  /** Runs a compiled cell. Always reports through `ops.done`, unless execution is terminated. */
  const runCell = (id, cell, iteration, factory, declared) => {
    const agent = agentOf(id);
    agent.cell = cell;
    turnOf = agent;
    const names = p.jsonParse(declared);
    for (let i = 0; i < names.length; i++) {
      // Otherwise the declaration would assign a global that agents share.
      if (isSharedName(names[i]) && !hasOwn(agent.scope, names[i])) hidden(agent.scope, names[i], undefined);
    }
    hidden(agent.env, '__rlm', rlmInfo(agent, iteration));
    const end = (status, value) => {
      let body = '', stack = '';
      if (status === 'threw') ({ head: body, stack } = describe(value));
      finish(agent, cell, status, body, stack);
    };
    // Settled values of promises in the value so far.
    const settled = new Map();
    /** Ends the cell with a value as soon as all promises in it are settled. */
    const answer = (value) => {
      const promises = [];
      let text;
      try {
        text = textOf(value, promises, settled);
      } catch (error) {
        return end('threw', error);
      }
      if (promises.length === 0) return finish(agent, cell, 'returned', text, '');
      let waiting = promises.length;
      for (let i = 0; i < promises.length; i++) {
        const promise = promises[i];
        observe(promise);
        promiseThen(promise, (given) => {
          mapSet(settled, promise, given);
          if (--waiting === 0) answer(value);
        }, (thrown) => end('threw', thrown));
      }
    };
    const running = factory(agent.scope, runtime)();
    // `then` reads the constructor of a promise, which model code may have set on the prototype.
    defineProperty(running, 'constructor', { __proto__: null, value: undefined });
    promiseThen(
      running,
      (box) => (box === undefined ? end('ended') : answer(box.value)),
      (thrown) => end('threw', thrown),
    );
  };

  /** Ends a cell from outside, after a termination or when it can never settle. */
  const abortCell = (id) => {
    const agent = agentOf(id);
    if (agent !== undefined && agent.cell !== 0) finish(agent, agent.cell, 'aborted', '', '');
  };

  /** Drops the values of an agent's own names after memory ran out. */
  const forget = (id, json) => {
    const agent = agentOf(id);
    const names = p.jsonParse(json);
    for (let i = 0; i < names.length; i++) {
      if (agent !== undefined && hasOwn(agent.scope, names[i])) agent.scope[names[i]] = undefined;
    }
  };

  const settleCall = (id, ok, body) => {
    const agent = callerOf(id);
    if (agent === undefined) return;
    turnOf = agent;
    settle(id, ok, body);
  };

  /** Parses JSON data and freezes it deeply. */
  const deepFrozen = (data) => {
    const waiting = p.list();
    waiting[0] = data;
    for (let i = 0; i < waiting.length; i++) {
      if (!isObject(waiting[i])) continue;
      const names = keys(freeze(waiting[i]));
      for (let j = 0; j < names.length; j++) waiting[waiting.length] = waiting[i][names[j]];
    }
    return data;
  };

  const setName = (id, name, json) => {
    const agent = agentOf(id);
    hidden(name === 'context' ? agent.env : agent.scope, name, p.jsonParse(json));
    if (name === 'context' && agent.parent === undefined) {
      // A copy: the agent may change its `context`.
      rootData = deepFrozen(p.jsonParse(json));
      hidden(agent.env, '__ctx', freeze({ __proto__: agent.env.__ctx, shared: freeze({ __proto__: null, data: rootData }) }));
    }
  };

  const callContext = (id) => {
    // A child reads the value itself, functions included; a model reads its text.
    const body = callerOf(id) === undefined ? '' : argumentText('the context', contextOf(id), kindOfCall(id) === 'llm');
    const most = internals.limits.argument_chars;
    if (body.length > most) throw new RangeError(`it has ${body.length} characters; at most ${most} are allowed`);
    return wellFormed(body);
  };

  const variables = (id) => {
    const agent = agentOf(id);
    return internals.variablesOf(agent.scope, mapGet(locals, agent.info.invocationId));
  };

  const rejectionText = (reason) => wellFormed(isObject(reason) ? describe(reason).head : short(toText(reason)));

  internals.host = {
    __proto__: null,
    abortCell, callContext, closeAgent, fireTimer, forget, openAgent, rejectionText, runCell, setName, settleCall, variables,
    nothing: internals.nothing, placeOf: internals.placeOf, stackOf: internals.stackOf,
  };
};
