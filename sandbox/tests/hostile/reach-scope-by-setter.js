// expect: ok
// value: undefined
Object.defineProperty(globalThis, 'trapped', { configurable: true, set() { globalThis.caught = this; } });
trapped = 1;
return typeof globalThis.caught?.trapped === 'number' && globalThis.caught !== globalThis ? 'the scope' : 'undefined';
