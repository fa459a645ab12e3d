// expect: ok
// value: 100
// why: options are read one by one, and each may throw
let count = 0; const odd = new Proxy({}, { get: (_, key) => { throw new Error(String(key)); } });
for (const Kind of ['NumberFormat', 'DateTimeFormat', 'PluralRules', 'Collator', 'ListFormat', 'Segmenter', 'RelativeTimeFormat', 'DisplayNames', 'Locale', 'DurationFormat']) for (const [locales, options] of [[odd], ['en', odd], [['en', 5]], [Symbol.iterator], ['x'.repeat(1e5)], ['en', { maximumFractionDigits: 1e9 }], ['en', { timeZone: 'Mars/Base' }], [null], ['en-u-ca-hebrew-nu-thai'], [undefined, { style: 'currency' }]]) { try { new Intl[Kind](locales, options).format?.(1); } catch {} count++; }
return count;
