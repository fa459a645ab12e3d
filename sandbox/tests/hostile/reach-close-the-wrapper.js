// expect: syntax
}); globalThis.escaped = __repl_scope; (async () => {
