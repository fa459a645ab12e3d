// expect: thrown
const error = new Error('message');
error.name = 'N'.repeat(5e6);
throw error;
