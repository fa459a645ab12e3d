// expect: timed_out
const spin = () => { for (;;) {} };
const handler = new Proxy({}, { get: () => spin });
JSON.stringify(new Proxy({}, handler));
