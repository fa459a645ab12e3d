// expect: ok, thrown
const liar = new Proxy({}, { ownKeys: () => ['a', 'b', Symbol.iterator], getOwnPropertyDescriptor: (_, key) => ({ value: liar, enumerable: true, configurable: true }), get: (_, key) => (key === 'b' ? liar : undefined), has: () => true });
console.log(liar, { ...liar }.b === liar, Object.entries(liar).length);
try { JSON.stringify(liar); } catch (error) { console.log(error.name); }
try { structuredClone(liar); } catch (error) { console.log(error.name); }
try { require('util').isDeepStrictEqual(liar, new Proxy(liar, {})); } catch (error) { console.log(error.name); }
