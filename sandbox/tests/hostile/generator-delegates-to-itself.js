// expect: ok, thrown
let g; g = (function* () { yield* { [Symbol.iterator]: () => g }; })();
try { g.next(); } catch (error) { return error.name; }
