// expect: ok, thrown
const log = []; const handler = new Proxy({}, { get: (_, trap) => (...args) => { log.push(trap); return Reflect[trap](...args); } });
const p = new Proxy(class A { static x = 1; }, handler);
console.log(p, [p], { p }); console.table([p]); console.dir(p, { showHidden: true }); `${p}`;
require('util').isDeepStrictEqual(p, p); require('assert').notDeepStrictEqual(p, {}); JSON.stringify({ p }); structuredClone([1]); require('util').format('%o %O %j %s', p, p, p, p);
return log.length;
