// expect: ok
// value:
// why: no stack shows frames of the library or the host
const util = require('util'); const stacks = []; const keep = (error) => stacks.push(String(error?.stack), util.inspect(error));
const attempts = [
  () => new URL('x'), () => structuredClone(() => 1), () => JSON.parse('{'), () => [1].map(() => { throw new Error('in a callback'); }),
  () => console.log({ get a() { throw new Error('in a getter'); }, [util.inspect.custom]() { throw new Error('in inspect'); } }),
  () => require('nothing'), () => require('assert').equal(1, 2), () => require('assert').throws(() => { throw new Error('in assert'); }, /x/),
  () => Buffer.from(5), () => atob('%'), () => setTimeout('x'), () => [2, 1].sort(() => { throw new Error('in sort'); }), () => eval('throw new Error("in eval")'),
  () => new Function('throw new Error("in Function")')(), () => 'a'.replace(/a/, () => { throw new Error('in replace'); }), () => rlm(), () => new Date(NaN).toISOString(),
  () => new (require('events'))().on('x', () => { throw new Error('in emit'); }).emit('x'), () => util.promisify(5), () => util.format('%s', { toString() { throw new Error('in format'); } }),
  () => (1).toLocaleString('zz-invalid-locale'), () => new Intl.NumberFormat('en', { style: 'currency' }), () => crypto.getRandomValues(1), () => performance.mark(),
  () => { const error = {}; Error.captureStackTrace(error); throw error; }, () => new Proxy({}, { get() { throw new Error('in proxy'); } }).a,
];
for (const attempt of attempts) { try { await attempt(); } catch (error) { keep(error); } }
await new Promise((done) => setTimeout(() => { keep(new Error('in a timer')); done(); }));
const lines = stacks.join('\n').split('\n').filter((line) => /^\s*at /.test(line) && !/\(?cell \d+:\d+\)?(,| {| \[)?$/.test(line));
return([...new Set(lines)].join('|'));
