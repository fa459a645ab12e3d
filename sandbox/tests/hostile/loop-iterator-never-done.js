// expect: timed_out, memory
for (const x of { [Symbol.iterator]: () => ({ next: () => ({ done: false, value: 1 }) }) });
