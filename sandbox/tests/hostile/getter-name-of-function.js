// expect: ok
// value: true
const f = Object.defineProperty(() => {}, 'name', { get() { throw new Error('name'); } });
const c = class { static get name() { return { toString() { throw 1; } }; } };
console.log(f, c, [new c()], { f, c }); console.dir(new c()); console.table([{ f, c }]);
return require('util').inspect(new c()).length > 0;
