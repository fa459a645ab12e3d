// expect: ok, thrown
await rlm('q', '', new Proxy({}, { ownKeys: () => ['model'], getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true, value: 'm' }), get: () => 'm' }));
