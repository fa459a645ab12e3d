// expect: ok
// value: 10 undefined
const { parseArgs } = require('util'); let count = 0;
for (const config of [{ args: ['--__proto__=1'], strict: false }, { args: [5] }, { args: 'text' }, { options: { x: 5 } }, { options: { ['__proto__']: { type: 'string' } } }, { args: ['--x'], options: { x: { type: 'string' } } }, { args: Array(1e4).fill('-abc'), strict: false }, { get args() { throw 1; } }, null, { tokens: true, args: ['--', '-', '--no-x'], strict: false }]) { try { parseArgs(config); } catch {} count++; }
return `${count} ${({}).x}`;
