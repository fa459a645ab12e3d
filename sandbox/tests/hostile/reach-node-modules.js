// expect: ok
// value: refused 22
const names = ['fs', 'node:fs', 'fs/promises', 'child_process', 'net', 'http', 'https', 'dns', 'os', 'process', 'vm', 'module', 'worker_threads', 'cluster', 'inspector', 'repl', '../fs', '/etc/passwd', 'file:///etc/passwd', '__proto__', 'constructor', 'toString'];
let refused = 0;
for (const name of names) { try { require(name); } catch (error) { if (error.code === 'MODULE_NOT_FOUND') refused++; } }
return 'refused ' + refused;
