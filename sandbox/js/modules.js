// require(): built-in modules by name, each created at its first use.
(internals) => {
  'use strict';

  const {
    Error, Map, arrayJoin, arraySort, list, mapGet, mapSet, stringSlice, stringStartsWith, toText,
  } = internals.primordials;
  const { coded, wrongType } = internals.exceptions;

  const factories = new Map();
  const made = new Map();
  const names = list();
  // Modules that belong to an agent, provided by its own `require`.
  names[0] = 'timers';
  names[1] = 'timers/promises';

  /** Registers a module; `factory()` returns its exports and runs at most once. */
  const defineModule = (name, factory) => {
    mapSet(factories, name, factory);
    names[names.length] = name;
    arraySort(names);
  };

  /** Returns the exports of a built-in module, with or without `node:` before its name. */
  const require = (name) => {
    if (typeof name !== 'string') throw wrongType('id', 'of type string', name);
    const bare = stringStartsWith(name, 'node:') ? stringSlice(name, 5) : name;
    const factory = mapGet(factories, bare);
    if (factory === undefined) {
      const instead = internals.instead.ofModule(bare);
      const available = arrayJoin(names, ', ');
      throw coded(Error, 'MODULE_NOT_FOUND', `Cannot find module '${toText(name)}'${instead}. Available modules: ${available}`);
    }
    if (!mapGet(made, bare)) {
      const exports = factory();
      internals.instead.addMissing(bare, exports);
      mapSet(made, bare, { __proto__: null, exports });
    }
    return mapGet(made, bare).exports;
  };

  internals.defineModule = defineModule;
  internals.require = require;
};
