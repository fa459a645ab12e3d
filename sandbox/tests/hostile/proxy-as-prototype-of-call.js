// expect: ok, thrown, unawaited
const call = rlm('x');
Object.setPrototypeOf(call, new Proxy(Promise.prototype, { get(target, key, receiver) { console.log(String(key)); return Reflect.get(target, key, receiver); } }));
return await call;
