// expect: ok
queueMicrotask = null;
structuredClone = null;
URL = null;
TextEncoder = null;
