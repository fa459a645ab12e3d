// expect: ok, thrown, memory
for (const replacer of [new Proxy(['a'], { get: (t, k) => (k === 'length' ? 3 : t[k]) }), function () { return arguments; }, [Symbol('s'), 1, new String('x'), {}], function (key, value) { return key ? value : { deep: this }; }]) { try { console.log(JSON.stringify({ a: { a: 1 } }, replacer, 2)?.slice(0, 50)); } catch (error) { console.log(error.name); } }
