// expect: ok
// value:
// why: nothing of the engine or the library hangs on the global object
return Reflect.ownKeys(globalThis).map(String).filter((name) => /^(op_|Deno|__)/.test(name)).join();
