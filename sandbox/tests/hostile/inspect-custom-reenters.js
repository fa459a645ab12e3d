// expect: ok, thrown, timed_out
const custom = Symbol.for('nodejs.util.inspect.custom'); let calls = 0;
const odd = { [custom](depth, options, inspect) { if (++calls > 200) return 'end'; options.depth = Infinity; options.seen?.push?.(1); console.log(odd); return inspect(odd, { ...options, customInspect: true }); } };
console.log(odd, [odd]);
