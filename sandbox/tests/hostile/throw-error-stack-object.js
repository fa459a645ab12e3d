// expect: thrown
const error = new Error('strange stack');
error.stack = { toString() { throw 1; } };
error.name = Symbol('name');
throw error;
