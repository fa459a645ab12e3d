// expect: ok
// value:
// why: the global object exposes neither engine nor library internals
return Reflect.ownKeys(globalThis).map(String).filter((name) => /^(op_|Deno|__)/.test(name)).join();
