// expect: ok, thrown
console.log({ [Symbol.for('nodejs.util.inspect.custom')]() { throw { toString: null }; } });
