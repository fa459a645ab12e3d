// expect: ok, thrown, timed_out, never_settles
let reads = 0;
return new Proxy({}, { get(_, key) { if (key === 'then') { reads++; return reads < 5 ? (resolve) => resolve(this) : undefined; } return undefined; } });
