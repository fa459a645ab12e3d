// expect: thrown
throw new AggregateError([new Error('a'), null, { get message() { throw 1; } }], 'many');
