// expect: ok, thrown
const u = new URL('http://user:pass@host:1/p?q#h');
for (const key of ['href', 'protocol', 'host', 'port', 'pathname', 'search', 'hash']) { for (const value of ['x'.repeat(1e5), '\ud800', '\0', '::::', '99999999', {}, null]) { try { u[key] = value; } catch {} } }
URL.prototype.toString.call({});
