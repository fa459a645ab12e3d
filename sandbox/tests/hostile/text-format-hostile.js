// expect: ok
// value: 11
const { format } = require('util'); const odd = { toString() { throw new Error('text'); }, [Symbol.toPrimitive]() { throw new Error('primitive'); } };
const out = []; for (const f of ['%s', '%d', '%i', '%f', '%j', '%o', '%O', '%c', '%%', '%x', '%']) { try { out.push(format(f, odd, Symbol('s'), 1n)); } catch { out.push('thrown'); } }
format('%s'.repeat(10000), ...Array(10000).fill(1)); format('%s'.repeat(10000));
return out.length;
