// expect: ok, thrown
// value: true
let reads = 0;
Object.defineProperty(globalThis, 'trap', { get() { reads++; return trap; }, set() { throw new Error('set'); }, configurable: true });
try { trap; } catch (error) { console.log(error.name); }
try { trap = 5; } catch (error) { console.log(error.message); }
console.log(globalThis, typeof globalThis.nothing); delete globalThis.trap;
return reads > 0;
