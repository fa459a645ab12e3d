// expect: ok
const apply = Function.prototype.call.bind(Function.prototype.apply);
Object.defineProperty(Object.prototype, 'constructor', { get() { throw new Error('a getter met'); } });
