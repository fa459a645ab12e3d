// expect: thrown
const error = new Error('x');
error.message = { toString() { return {}; } };
throw error;
