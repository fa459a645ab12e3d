// expect: thrown
// error: round
const error = new Error('round');
error.cause = error;
console.log(error);
throw error;
