// expect: ok
RegExp.prototype.exec = () => { throw 1; };
RegExp.prototype.test = () => true;
for (const symbol of [Symbol.match, Symbol.matchAll, Symbol.replace, Symbol.search, Symbol.split]) RegExp.prototype[symbol] = () => { throw 2; };
for (const name of ['flags', 'source', 'global']) Object.defineProperty(RegExp.prototype, name, { get() { throw 3; } });
