// expect: memory, timed_out, thrown
let value = [new Array(1000).fill({ a: 1 })];
for (;;) value = structuredClone([value, value.slice()]);
