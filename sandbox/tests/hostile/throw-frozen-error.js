// expect: thrown
// error: frozen
throw Object.freeze(new Error('frozen'));
