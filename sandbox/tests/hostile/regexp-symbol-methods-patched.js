// expect: ok
// value: x 5ba=b%20c
for (const key of [Symbol.match, Symbol.matchAll, Symbol.replace, Symbol.search, Symbol.split]) RegExp.prototype[key] = () => { throw new Error('patched'); };
RegExp.prototype.exec = () => ({ 0: 'forged', index: 0, length: 1 }); Object.defineProperty(RegExp.prototype, 'flags', { get() { throw new Error('flags'); } });
console.log({ 'a-b': 1, text: "it's" }, new Error('x'), new URL('http://a.b/c?d=e').search, (1234.5).toLocaleString(), 'a'.localeCompare('b')); console.table([{ a: 'ü' }]);
return require('util').format('%s %d', 'x', 5) + require('path').basename('/a/b.c', '.c') + require('querystring').stringify({ a: 'b c' });
