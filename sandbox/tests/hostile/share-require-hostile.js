// expect: ok
// value: 14 forged
// why: all agents share one object per module, as in Node.js
let count = 0;
for (const name of ['node:', 'node:node:path', '__proto__', 'constructor', 'path/', './path', '', ' path', 'PATH', 'a'.repeat(1e6), null, { toString: () => 'path' }, Symbol.iterator, ['path']]) { try { require(name); } catch { count++; } }
const path = require('path'); path.join = () => 'forged'; const again = require('path').join('a');
return `${count} ${again}`;
