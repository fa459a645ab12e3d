// expect: thrown
// error: second
try { throw new Error('first'); } finally { throw new Error('second'); }
