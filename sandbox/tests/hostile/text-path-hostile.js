// expect: ok
// value: 68
const path = require('path'); let count = 0;
for (const text of ['', '/'.repeat(1e5), '../'.repeat(1e4), '\0', 'C:\\x', '//server/share', '.', 'a'.repeat(1e6)]) for (const f of ['normalize', 'basename', 'dirname', 'extname', 'parse', 'resolve', 'isAbsolute', 'join']) { path[f](text, '..', ''); path.win32?.[f]?.(text); count++; }
for (const bad of [null, 5, {}, { toString: () => 'x' }]) { try { path.join(bad); } catch { count++; } }
return count;
