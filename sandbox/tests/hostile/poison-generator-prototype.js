// expect: ok
const GeneratorPrototype = Object.getPrototypeOf(function* () {}).prototype;
for (const name of ['next', 'return', 'throw']) GeneratorPrototype[name] = () => { throw 1; };
