// expect: syntax
// error: nested
globalThis @repeat(100000, "?.globalThis");
