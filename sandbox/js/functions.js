// Arguments of calls to the host: the options of rlm() and llm(), and host functions.
(internals) => {
  'use strict';
  const { primordials: p, ops, wellFormed } = internals;
  const { create, defineProperty, freeze, hasOwn, keys } = Object;
  const { RangeError, TypeError } = globalThis;
  const promiseReject = Promise.reject.bind(Promise);

  /** Options of both `rlm()` and `llm()`. */
  const ofBoth = {
    __proto__: null, schema: 'a JSON Schema, an object', signal: 'an AbortSignal', timeoutMs: 'a whole number from 1',
    maxCostUsd: 'a positive number', maxTokens: 'a whole number from 1', memo: 'true or false',
  };

  /** Options of a call by their required types. */
  const optionTypes = {
    __proto__: null,
    rlm: {
      __proto__: null, systemPrompt: 'a string', model: 'a string', maxIterations: 'a whole number from 1', page: 'a string',
      tools: 'a list of names', ...ofBoth,
    },
    llm: { __proto__: null, model: 'a string', ...ofBoth },
    agent: {
      __proto__: null, context: 'any value', tools: 'a list of names', schema: ofBoth.schema, budget: 'an object of limits', prompt: 'a string',
      model: 'a string', memo: ofBoth.memo, signal: ofBoth.signal,
    },
  };

  /** Limits of an agent's budget by the corresponding options of a call. */
  const limitsOf = {
    __proto__: null, iterations: ['maxIterations', 'a whole number from 1'], tokens: ['maxTokens', 'a whole number from 1'],
    costUsd: ['maxCostUsd', 'a positive number'], timeMs: ['timeoutMs', 'a whole number from 1'],
  };

  const isEvery = (list, holds) => {
    for (let i = 0; i < list.length; i++) if (!holds(list[i])) return false;
    return true;
  };

  const hasType = {
    __proto__: null,
    'a string': (value) => typeof value === 'string',
    'a whole number from 1': (value) => p.isInteger(value) && value >= 1 && value <= 1e9,
    'a positive number': (value) => typeof value === 'number' && value > 0 && value < 1e9,
    'a JSON Schema, an object': (value) => typeof value === 'object' && !p.isArray(value),
    'an AbortSignal': (value) => internals.isSignal(value),
    'true or false': (value) => typeof value === 'boolean',
    'any value': () => true,
    'a list of names': (value) => p.isArray(value) && isEvery(value, (one) => typeof one === 'string'),
    'an object of limits': (value) => typeof value === 'object' && !p.isArray(value),
  };

  /** Returns a value as JSON, or undefined. Replaces lone surrogates, which slicing can leave, because they are invalid outside JavaScript. */
  const jsonOf = (value) => {
    const json = p.jsonStringify(value);
    if (json === undefined || !p.stringIncludes(json, '\\ud')) return json;
    return p.jsonStringify(value, (_name, value) => (typeof value === 'string' ? wellFormed(value) : value));
  };

  /** Arguments as JSON. */
  const argumentJson = (name, values) => {
    const json = internals.values.argumentJson(`${name}(): the argument`, values);
    return json !== undefined && p.stringIncludes(json, '\\ud') ? jsonOf(p.jsonParse(json)) : json;
  };

  /** Validates the options of a call. Returns those for the host as JSON, and those used here. */
  internals.optionsOf = (kind, options) => {
    const kept = { __proto__: null, json: '{}', signal: undefined, memo: false, isTyped: false };
    if (options === undefined || options === null) return kept;
    if (typeof options !== 'object' && typeof options !== 'function') {
      throw new TypeError(`${kind}(): the ${kind === 'agent' ? 'second' : 'third'} argument must be an object of options`);
    }
    const known = optionTypes[kind];
    const given = create(null);
    const names = keys(options);
    for (let i = 0; i < names.length; i++) {
      const name = names[i];
      if (!hasOwn(known, name)) {
        throw new TypeError(`${kind}(): unknown option '${name}'; known: ${p.arrayJoin(keys(known), ', ')}`);
      }
      const value = options[name];
      if (value === undefined || value === null) continue;
      if (!hasType[known[name]](value)) throw new TypeError(`${kind}(): option '${name}' must be ${known[name]}`);
      if (kind === 'agent' && name === 'context') continue;
      if (name === 'signal' || name === 'memo') kept[name] = value;
      else if (name === 'budget') addLimits(value, given);
      else if (kind === 'agent' && name === 'prompt') given.systemPrompt = value;
      else given[name] = name === 'schema' ? schemaJson(kind, value) : value;
    }
    kept.isTyped = given.schema !== undefined;
    kept.json = jsonOf(given);
    return kept;
  };

  /** Adds the limits of a budget to the options of a call. */
  const addLimits = (budget, given) => {
    const names = keys(budget);
    for (let i = 0; i < names.length; i++) {
      const name = names[i];
      if (!hasOwn(limitsOf, name)) {
        throw new TypeError(`agent(): unknown limit '${name}' in option 'budget'; known: ${p.arrayJoin(keys(limitsOf), ', ')}`);
      }
      const value = budget[name];
      if (value === undefined || value === null) continue;
      if (!hasType[limitsOf[name][1]](value)) throw new TypeError(`agent(): limit '${name}' of option 'budget' must be ${limitsOf[name][1]}`);
      given[limitsOf[name][0]] = value;
    }
  };

  /** A schema as JSON text. */
  const schemaJson = (kind, value) => {
    const json = jsonOf(value);
    const most = internals.limits.argument_chars;
    if (json === undefined) throw new TypeError(`${kind}(): option 'schema' is no object as JSON`);
    if (json.length > most) {
      throw new RangeError(`${kind}(): the schema has ${json.length} characters; at most ${most} are allowed`);
    }
    return json;
  };

  /** The arguments of a host function as JSON. */
  const argumentsJson = (name, given) => {
    if (given.length > 1) throw new TypeError(`${name}(): takes one object of named arguments, not ${given.length} arguments`);
    const values = given[0];
    if (values === undefined) return '{}';
    if (values === null || typeof values !== 'object' || p.isArray(values)) {
      throw new TypeError(`${name}(): takes one object of named arguments, such as ${name}({ name: value })`);
    }
    const json = argumentJson(name, values);
    if (json === undefined || json[0] !== '{') throw new TypeError(`${name}(): the arguments are no object as JSON`);
    const most = internals.limits.argument_chars;
    if (json.length > most) {
      throw new RangeError(`${name}(): the arguments have ${json.length} characters; at most ${most} are allowed`);
    }
    return json;
  };

  /** `arrange` converts the arguments of the call to those of the host, and `shape` converts the host's value to that of the call. */
  const hostFunction = (agent, name, checkCall, pending, arrange, shape) => {
    const called = (...given) => {
      try {
        checkCall(agent, name);
        const json = argumentsJson(name, arrange === undefined ? given : arrange(given));
        return pending(agent, name, shape ?? true, undefined, () => ops.callFunction(agent.id, name, json));
      } catch (error) {
        return promiseReject(error);
      }
    };
    const dot = p.stringIndexOf(name, '.');
    defineProperty(called, 'name', { __proto__: null, value: p.stringSlice(name, dot + 1) });
    return freeze(called);
  };

  /** Whether these arguments are one object of named arguments. */
  const isNamed = (given) => given.length === 1 && typeof given[0] === 'object' && given[0] !== null;

  /** Combines positional arguments and fixed ones into one object of named arguments. Several arguments may also be given as such an object. */
  const named = (name, takes, fixed) => (given) => {
    if (takes.length > 1 && isNamed(given)) return given;
    if (given.length > takes.length) {
      throw new TypeError(`${name}(): takes ${p.arrayJoin(takes, ', ') || 'no arguments'}, not ${given.length} arguments`);
    }
    const values = { __proto__: null };
    for (let i = 0; i < given.length; i++) values[takes[i]] = given[i];
    const names = keys(fixed);
    for (let i = 0; i < names.length; i++) values[names[i]] = fixed[names[i]];
    return [values];
  };

  /** Creates a host function that returns a frozen object with methods, which call the host with that object's `id`. */
  const maker = (agent, { name, takes, methods }, checkCall, pending) => {
    const shape = (made) => {
      for (let i = 0; i < methods.length; i++) {
        const method = methods[i];
        const arrange = named(method.name, method.takes, { __proto__: null, id: made.id });
        const called = hostFunction(agent, method.name, checkCall, pending, arrange);
        defineProperty(made, called.name, { __proto__: null, value: called });
      }
      return freeze(made);
    };
    return hostFunction(agent, name, checkCall, pending, named(name, takes, { __proto__: null }), shape);
  };

  /**
   * Gives an agent its host functions. Those with a dot in their name are methods of a frozen object. Functions that only
   * its ancestors have are undefined in this agent. `hidden` defines a property, `checkCall` throws unless a call may start, and
   * `pending` starts one.
   */
  internals.giveFunctions = (agent, { names, makers }, hidden, checkCall, pending) => {
    for (let next = agent.parent; next !== undefined; next = next.parent) {
      for (let i = 0; i < next.functions.length; i++) hidden(agent.env, next.functions[i], undefined);
    }
    const objects = create(null);
    const given = create(null);
    const give = (name, called) => {
      const dot = p.stringIndexOf(name, '.');
      const top = dot < 0 ? name : p.stringSlice(name, 0, dot);
      given[top] = true;
      if (dot < 0) {
        hidden(agent.env, top, called);
      } else {
        objects[top] ??= {};
        hidden(objects[top], p.stringSlice(name, dot + 1), called);
      }
    };
    for (let i = 0; i < names.length; i++) give(names[i], hostFunction(agent, names[i], checkCall, pending));
    for (let i = 0; i < makers.length; i++) give(makers[i].name, maker(agent, makers[i], checkCall, pending));
    const tops = keys(objects);
    for (let i = 0; i < tops.length; i++) hidden(agent.env, tops[i], freeze(objects[tops[i]]));
    agent.functions = keys(given);
  };
};
