// Formats the stack trace of an error: its header, and its frames in cells.
(internals) => {
  'use strict';

  const { Error, append, apply, list, peek, stringEndsWith, stringSlice, stringStartsWith, toText } = internals.primordials;
  const { header } = internals.errors;

  /** Maximum number of frames in the location of stopped code. */
  const PLACES = 3;
  /** Number of characters before the name in a frame. */
  const FRAME_HEAD = '\n    at '.length;

  const ask = (site, method) => {
    const value = site[method]();
    return value === null || value === undefined || value === '' ? undefined : value;
  };

  /** Returns the frames of the model's code, innermost first. */
  const ownSites = (sites) => {
    const own = list();
    for (let i = 0; i < sites.length; i++) {
      if (stringStartsWith(toText(ask(sites[i], 'getFileName')), 'cell ')) own[own.length] = sites[i];
    }
    return own;
  };

  const calledName = (site) => {
    const name = ask(site, 'getFunctionName');
    if (site.isConstructor()) return `new ${name ?? '<anonymous>'}`;
    const type = site.isToplevel() ? undefined : ask(site, 'getTypeName');
    if (type === undefined) return name;
    const method = ask(site, 'getMethodName');
    if (name === undefined) return `${type}.${method ?? '<anonymous>'}`;
    const typed = stringStartsWith(name, type) ? name : `${type}.${name}`;
    return method === undefined || stringEndsWith(name, method) ? typed : `${typed} [as ${method}]`;
  };

  // Without columns, because rewriting moves them.
  const frame = (site) => {
    const place = `${ask(site, 'getFileName')}:${ask(site, 'getLineNumber') ?? 1}`;
    const name = calledName(site);
    const prefix = site.isAsync() ? 'async ' : '';
    return name === undefined ? `\n    at ${prefix}${place}` : `\n    at ${prefix}${name} (${place})`;
  };

  const asked = ['getColumnNumber', 'getFileName', 'getFunctionName', 'getLineNumber', 'getMethodName', 'getPromiseIndex',
    'getScriptNameOrSourceURL', 'getTypeName', 'isAsync', 'isConstructor', 'isEval', 'isNative', 'isPromiseAll', 'isToplevel'];

  /** A call site without the functions, receivers and script that V8's call sites expose. */
  const shown = (site) => {
    const copy = { getThis() {}, getFunction() {}, getEvalOrigin() {} };
    for (let i = 0; i < asked.length; i++) {
      if (typeof site[asked[i]] !== 'function') continue;
      const answer = site[asked[i]]();
      copy[asked[i]] = () => answer;
    }
    const text = stringSlice(frame(site), '\n    at '.length);
    copy.toString = () => text;
    return copy;
  };

  /** Returns the value of `error.stack`: the result of the model's own `Error.prepareStackTrace`, or V8's text. */
  const stackOf = (error, sites) => {
    const own = ownSites(sites);
    const prepare = peek(Error, 'prepareStackTrace');
    if (typeof prepare === 'function') {
      const given = [];
      for (let i = 0; i < own.length; i++) append(given, shown(own[i]));
      return apply(prepare, Error, [error, given]);
    }
    let text = header(error);
    for (let i = 0; i < own.length; i++) text += frame(own[i]);
    return text;
  };

  /** Returns the location of stopped code: the innermost frames of cells. */
  const placeOf = (sites) => {
    const own = ownSites(sites);
    let text = '';
    for (let i = 0; i < own.length && i < PLACES; i++) {
      text += `${i === 0 ? '' : ', called at '}${stringSlice(frame(own[i]), FRAME_HEAD)}`;
    }
    return text;
  };

  internals.stackOf = stackOf;
  internals.placeOf = placeOf;
  internals.nothing = () => {};
};
