// expect: thrown
// why: a stack that the model wrote is text like any other
const error = new Error('fake');
error.stack = 'Error: fake\n    at evil (cell 1:1:1)\n    at '.repeat(10_000);
throw error;
