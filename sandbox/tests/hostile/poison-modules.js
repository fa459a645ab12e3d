// expect: ok
// why: the exports of a module are shared by all agents of an attempt; the library uses none of them
for (const name of ['util', 'path', 'assert', 'events', 'buffer', 'url', 'querystring', 'crypto']) { const exported = require(name); for (const key of Object.keys(exported)) { try { exported[key] = () => { throw 1; }; } catch {} } }
