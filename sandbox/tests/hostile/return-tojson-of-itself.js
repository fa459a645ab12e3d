// expect: ok, thrown
return { a: 1, toJSON() { return this; } };
