// Installs the shared globals, removes those that model code must not access, and fixes names that the engine looks up.
// Runs when a session starts, not when the snapshot is created, because the engine still needs some names in between.
(internals) => {
  'use strict';
  const { primordials: p } = internals;
  const { defineProperty, getOwnPropertyDescriptor, getOwnPropertyNames, getOwnPropertySymbols } = Object;
  const global = globalThis;
  internals.lockdown = () => {
    const define = (name, value) =>
      defineProperty(global, name, { __proto__: null, value, writable: true, enumerable: false, configurable: true });

    // Node.js does not have `Temporal` yet, and QuickJS's depends on a locale library with wrong results.
    const removed = [
      '__repl_internals', 'console', 'performance', 'SharedArrayBuffer', 'Atomics', 'WebAssembly', 'ShadowRealm', 'Temporal', 'gc',
    ];
    for (let i = 0; i < removed.length; i++) delete global[removed[i]];
    delete Date.prototype.toTemporalInstant;
    const names = getOwnPropertyNames(global);
    for (let i = 0; i < names.length; i++) {
      const name = names[i];
      if (p.stringStartsWith(name, '__v8x')) delete global[name];
    }

    // Slots of the engine's `Temporal`.
    const symbols = getOwnPropertySymbols(global);
    for (let i = 0; i < symbols.length; i++) delete global[symbols[i]];
    // As in Node.js, it is shown by this name and only with properties that cells added.
    defineProperty(global, Symbol.toStringTag, { __proto__: null, value: 'global', configurable: true });
    const builtins = getOwnPropertyNames(global);
    for (let i = 0; i < builtins.length; i++) {
      const { configurable, enumerable } = getOwnPropertyDescriptor(global, builtins[i]);
      if (configurable && enumerable) defineProperty(global, builtins[i], { __proto__: null, enumerable: false });
    }

    const shared = internals.globals;
    const sharedNames = p.keys(shared);
    for (let i = 0; i < sharedNames.length; i++) define(sharedNames[i], shared[sharedNames[i]]);
    define('performance', internals.performance);
    define('global', global);

    // QuickJS derives it from `Function.prototype`, unlike all other errors.
    Object.setPrototypeOf(TypeError, Error);
    // V8's names for the results of the last match, which QuickJS does not have.
    const legacy = ['$1', '$2', '$3', '$4', '$5', '$6', '$7', '$8', '$9', 'lastMatch', 'leftContext', 'rightContext', 'lastParen', 'input'];
    for (let i = 0; i < legacy.length; i++) {
      if (legacy[i] in RegExp) continue;
      const get = () => { throw new Error(`RegExp.${legacy[i]} is not there; use what match() or exec() returns`); };
      defineProperty(RegExp, legacy[i], { __proto__: null, get, configurable: true });
    }

    // A printed function shows its original source, not the rewritten one.
    const toSource = p.functionToString;
    // QuickJS adds a line break there, and the names of bound functions.
    const NATIVE = ' {\n    [native code]\n}';
    const sourceOf = (fn) => {
      const text = internals.ops.unmark(toSource(fn));
      if (!p.stringEndsWith(text, NATIVE)) return text;
      const head = p.stringStartsWith(text, 'function bound ') ? 'function ()' : p.stringSlice(text, 0, -NATIVE.length);
      return `${head} { [native code] }`;
    };
    defineProperty(Function.prototype, 'toString', {
      __proto__: null,
      value: { toString() { return sourceOf(this); } }.toString,
      writable: true,
      configurable: true,
    });

    internals.ownDates();
    internals.mendDates();
    internals.installLocale(global);

    // The engine looks these up on the global object when it creates errors, promises and arrays.
    const fixed = ['AggregateError', 'Array', 'ArrayBuffer', 'BigInt', 'Boolean', 'DOMException', 'DataView', 'Date', 'Error',
      'EvalError', 'FinalizationRegistry', 'Function', 'InternalError', 'Intl', 'JSON', 'Map', 'Math', 'Number', 'Object', 'Promise',
      'Proxy', 'RangeError', 'ReferenceError', 'Reflect', 'RegExp', 'Set', 'String', 'SuppressedError', 'Symbol', 'SyntaxError',
      'TypeError', 'URIError', 'Uint8Array', 'WeakMap', 'WeakRef', 'WeakSet', 'globalThis'];
    for (let i = 0; i < fixed.length; i++) {
      if (getOwnPropertyDescriptor(global, fixed[i]) !== undefined) {
        defineProperty(global, fixed[i], { __proto__: null, writable: false, configurable: false });
      }
    }
    const methods = ['apply', 'bind', 'call'];
    for (let i = 0; i < methods.length; i++) {
      defineProperty(Function.prototype, methods[i], { __proto__: null, writable: false, configurable: false });
    }
    // The engine uses it for template literals, including those of this library.
    defineProperty(String.prototype, 'concat', { __proto__: null, writable: false, configurable: false });
  };
};
