// expect: ok
try { globalThis.String = null; } catch {}
String.fromCharCode = null;
String.raw = null;
