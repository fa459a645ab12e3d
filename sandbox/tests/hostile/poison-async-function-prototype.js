// expect: ok
const AsyncFunctionPrototype = Object.getPrototypeOf(async () => {});
Object.setPrototypeOf(AsyncFunctionPrototype, null);
try { AsyncFunctionPrototype.constructor = null; } catch {}
