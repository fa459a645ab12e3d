// expect: thrown
// error: no JSON
return { toJSON() { throw new Error('no JSON'); } };
