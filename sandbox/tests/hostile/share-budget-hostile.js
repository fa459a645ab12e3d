// expect: ok
// value: 0
const seen = budget(); let changed = 0;
for (const key of Object.keys(seen)) { try { seen[key] = 1e9; } catch {} if (budget()[key] === 1e9) changed++; }
Object.defineProperty(Object.prototype, 'toJSON', { value() { throw new Error('json'); }, configurable: true });
try { budget(); } catch {} finally { delete Object.prototype.toJSON; }
return changed;
