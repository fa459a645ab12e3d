// expect: ok
JSON.stringify = () => 'patched';
JSON.parse = () => { throw 1; };
Object.prototype.toJSON = () => 'patched';
Array.prototype.toJSON = () => { throw 1; };
String.prototype.toJSON = () => 'patched';
Number.prototype.toJSON = () => 'patched';
