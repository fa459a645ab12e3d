// expect: ok
// value: 120
const url = new URL('http://user:pass@host:80/p?q#f'); let count = 0;
for (const part of ['href', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search', 'hash']) for (const value of ['', ' ', '\0', '://', 'javascript:', '[::1', '999999', '\u202e', 'x'.repeat(1e5), { toString() { throw 1; } }, Symbol.iterator, null]) { try { url[part] = value; } catch {} count++; }
return count;
