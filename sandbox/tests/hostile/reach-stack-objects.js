// expect: ok
// value: nothing
// why: call sites must not hand out the functions, receivers and arguments of the library
const found = [];
Error.prepareStackTrace = (_, sites) => {
  for (const site of Array.isArray(sites) ? sites : []) {
    for (const key of ['getThis', 'getFunction', 'getEvalOrigin', 'getTypeName']) {
      let value;
      try { value = site[key]?.(); } catch {}
      if ((typeof value === 'object' || typeof value === 'function') && value !== null && value !== globalThis) found.push(`${key} ${site.getFunctionName?.()}`);
    }
  }
  return 'stack';
};
const probe = () => { new Error('probe').stack; return 'x'; };
try {
  await rlm({ toJSON: probe }, { toJSON: probe }, { get model() { return probe(); } });
  console.log({ toString: probe }, { [Symbol.for('nodejs.util.inspect.custom')]: probe }, { get x() { return probe(); } });
  setTimeout(probe, 1);
  structuredClone({ get x() { return probe(); } });
  require('assert').throws(probe, probe);
} catch {}
await new Promise((resolve) => setTimeout(resolve, 5));
Error.prepareStackTrace = undefined;
return found.length === 0 ? 'nothing' : found.join();
