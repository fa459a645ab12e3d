// expect: ok
// value: 999
let C = class { #a = 1; static get(o) { return o.#a; } };
for (let i = 0; i < 1000; i++) C = new Function('Base', 'return class extends Base { #a = ' + i + '; static get' + i + '(o) { return o.#a; } }')(C);
return C.get999(new C());
