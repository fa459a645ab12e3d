// expect: timed_out
const endless = { [Symbol.asyncIterator]: () => ({ next: async () => ({ done: false, value: 1 }) }) }
for await (const one of endless) globalThis.last = one
