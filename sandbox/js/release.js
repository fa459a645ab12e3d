// Cuts what would keep an isolate's memory after its end.
//
// QuickJS frees what nothing refers to, but the V8 layer over it never lets go of about twenty objects of each isolate:
// the prototypes of call site methods, and handles of the engine's own modules. Through `constructor`, or through their
// prototype `Object.prototype`, they reach all that the isolate had.
(internals) => {
  'use strict';
  const { getOwnPropertyDescriptor, prototype } = Object;
  const { deleteProperty, getPrototypeOf, ownKeys } = Reflect;

  /** For the start of a session, while the engine still gives call sites of its own to `Error.prepareStackTrace`. */
  internals.cutCallSites = () => {
    const own = getOwnPropertyDescriptor(Error, 'prepareStackTrace');
    Error.prepareStackTrace = (_, sites) => sites;
    const sites = new Error('').stack;
    if (own === undefined) delete Error.prepareStackTrace;
    else Error.prepareStackTrace = own.value;
    if (typeof sites !== 'object' || sites[0] === undefined) return;
    const methods = getPrototypeOf(sites[0]);
    const names = ownKeys(methods);
    for (let i = 0; i < names.length; i++) {
      const method = methods[names[i]];
      if (typeof method === 'function' && method.prototype !== undefined) delete method.prototype.constructor;
    }
  };

  /** For the end of the isolate: no JavaScript runs after it. What user code made of its globals runs nothing here. */
  internals.host.release = () => {
    const names = ownKeys(prototype);
    for (let i = 0; i < names.length; i++) deleteProperty(prototype, names[i]);
  };
};
