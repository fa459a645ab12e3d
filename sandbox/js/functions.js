// What calls of the host take: the options of rlm() and llm(), and the functions that the host adds to them.
(internals) => {
  'use strict';
  const { primordials: p, ops, wellFormed } = internals;
  const { create, defineProperty, freeze, hasOwn, keys } = Object;
  const { RangeError, TypeError } = globalThis;
  const promiseReject = Promise.reject.bind(Promise);

  /** The options of a call by the types that they must have. */
  const optionTypes = {
    __proto__: null,
    rlm: { __proto__: null, systemPrompt: 'a string', model: 'a string', maxIterations: 'a whole number from 1', page: 'a string' },
    llm: { __proto__: null, model: 'a string' },
  };

  const hasType = (value, type) => (type === 'a string'
    ? typeof value === 'string'
    : p.isInteger(value) && value >= 1 && value <= 1e9);

  /** The options of a call, checked, as JSON. */
  internals.optionsJson = (kind, options) => {
    if (options === undefined || options === null) return '{}';
    if (typeof options !== 'object' && typeof options !== 'function') throw new TypeError(`${kind}(): the third argument must be an object of options`);
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
      if (!hasType(value, known[name])) throw new TypeError(`${kind}(): option '${name}' must be ${known[name]}`);
      given[name] = value;
    }
    return p.jsonStringify(given);
  };

  /** The arguments of a host function as JSON. */
  const argumentsJson = (name, given) => {
    if (given.length > 1) throw new TypeError(`${name}(): takes one object of named arguments, not ${given.length} arguments`);
    const values = given[0];
    if (values === undefined) return '{}';
    if (values === null || typeof values !== 'object' || p.isArray(values)) {
      throw new TypeError(`${name}(): takes one object of named arguments, such as ${name}({ name: value })`);
    }
    let json = p.jsonStringify(values);
    if (json !== undefined && p.stringIncludes(json, '\\ud')) {
      // Half a surrogate pair, as slicing leaves it, is no text outside of JavaScript.
      json = p.jsonStringify(values, (_name, value) => (typeof value === 'string' ? wellFormed(value) : value));
    }
    if (json === undefined || json[0] !== '{') throw new TypeError(`${name}(): the arguments are no object as JSON`);
    const most = internals.limits.argument_chars;
    if (json.length > most) {
      throw new RangeError(`${name}(): the arguments have ${json.length} characters; at most ${most} are allowed`);
    }
    return json;
  };

  /** `arrange` makes the arguments of the host from those of the call, and `shape` makes the value of the call from the host's. */
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

  /** Whether these arguments are one object of named ones. */
  const isNamed = (given) => given.length === 1 && typeof given[0] === 'object' && given[0] !== null;

  /** Arguments in an order as one object of named ones, over those that are fixed. Where there are several, they may come in such an object. */
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

  /** A function of the host whose value becomes a frozen object with methods, which call the host with that object's `id`. */
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
   * Gives an agent its host functions: those with a dot in their name are methods of a frozen object. What only its
   * ancestors have is undefined to it. `hidden` defines a property, `checkCall` throws unless a call may start, and
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
