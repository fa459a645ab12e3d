// expect: thrown
let error = new Error('first');
for (let i = 0; i < 20_000; i++) error = new Error('next', { cause: error });
throw error;
