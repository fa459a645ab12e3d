// expect: ok
// value: []
// why: no path leads from reachable objects to an op or to the library's internals
const AsyncFunction = (async () => {}).constructor, GeneratorFunction = (function* () {}).constructor;
const AsyncGeneratorFunction = (async function* () {}).constructor;
const call = rlm('x'), timer = setTimeout(() => {}, 1), hits = [], seen = new Set();
const roots = { globalThis, AsyncFunction, GeneratorFunction, AsyncGeneratorFunction, call, timer, console, rlm, llm, require, context, __rlm, __ctx, setTimeout, error: new Error('x'), iterator: [][Symbol.iterator](), path: require('path'), buffer: require('buffer'), util: require('util'), events: require('events'), crypto: require('crypto'), assert: require('assert'), url: new URL('http://a/?b=c'), encoder: new TextEncoder() };
const queue = Object.entries(roots).map(([name, value]) => [value, name]);
while (queue.length > 0) {
  const [value, path] = queue.pop();
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value)) continue;
  seen.add(value);
  let keys = [];
  try { keys = Reflect.ownKeys(value); } catch {}
  for (const key of keys) {
    const name = String(key), at = path + '.' + name;
    if (/^(op_|ops$|core$|internals$|agent$|scope$|env$|__v8x|__boot|__repl)/.test(name)) hits.push(at);
    let descriptor;
    try { descriptor = Object.getOwnPropertyDescriptor(value, key); } catch {}
    if (!descriptor) continue;
    if ('value' in descriptor) queue.push([descriptor.value, at]);
    else {
      queue.push([descriptor.get, at + '<get>'], [descriptor.set, at + '<set>']);
      try { queue.push([descriptor.get.call(value), at + '()']); } catch {}
    }
  }
  try { queue.push([Object.getPrototypeOf(value), path + '.__proto__']); } catch {}
}
await call;
clearTimeout(timer);
return hits;
