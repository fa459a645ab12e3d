// expect: ok, thrown, timed_out, memory
console.log(...new Array(50_000).fill('argument'));
