// expect: ok, syntax, thrown
let y = 1
--> }); globalThis.escaped = 1; (async () => {
