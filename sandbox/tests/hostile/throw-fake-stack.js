// expect: thrown
// why: a stack written by the model is ordinary text
const error = new Error('fake');
error.stack = 'Error: fake\n    at evil (cell 1:1:1)\n    at '.repeat(10_000);
throw error;
