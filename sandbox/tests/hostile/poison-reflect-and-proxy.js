// expect: ok
for (const name of Object.getOwnPropertyNames(Reflect)) Reflect[name] = () => { throw 1; };
try { globalThis.Proxy = null; } catch {}
Proxy.revocable = null;
