// expect: ok, thrown, memory
const odd = { ['k'.repeat(1e6)]: 1, [Symbol('s'.repeat(1e6))]: 2 }; Object.defineProperty(class {}, 'name', { value: 'n'.repeat(1e6) });
console.log(odd, Object.defineProperty(() => {}, 'name', { value: 'f'.repeat(1e6) })); console.table([odd]);
return require('util').inspect(new Map([[odd, odd]])).length > 0;
