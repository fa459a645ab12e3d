// expect: ok
// value: none
// why: the engine's locale library calls functions of the global object
const hits = [];
const seen = new Set();
(function walk(value, at, depth) {
  if (depth > 5 || value === null || (typeof value !== 'object' && typeof value !== 'function') || seen.has(value)) return;
  seen.add(value);
  for (const key of Reflect.ownKeys(value)) {
    if (/Temporal|v8x|_tz\b|temporalParts/i.test(String(key))) hits.push(`${at}.${String(key)}`);
    try { walk(value[key], `${at}.${String(key)}`, depth + 1); } catch {}
  }
  walk(Object.getPrototypeOf(value), `${at}.[[prototype]]`, depth + 1);
})({ Intl, Date, Number, String, dates: new Intl.DateTimeFormat(), numbers: new Intl.NumberFormat(), global: globalThis }, '', 0);
return hits.join() || 'none';
