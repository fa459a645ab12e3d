// expect: ok
// value: 7
return [1e9, -5, Infinity, 'x'.repeat(100), { valueOf: () => 3 }, new Number(4), Symbol.iterator].map((space) => { try { return JSON.stringify([1], null, space).length; } catch { return 'thrown'; } }).length;
