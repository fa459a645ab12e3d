// expect: ok, syntax, thrown
// why: the parser and the engine must agree on what a comment is
let x = 1;
x <!-- }); globalThis.escaped = 1; (async () => {
