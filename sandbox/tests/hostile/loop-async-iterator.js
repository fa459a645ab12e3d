// expect: timed_out
for await (const x of { [Symbol.asyncIterator]: () => ({ next: async () => ({ done: false }) }) });
