// expect: syntax
// error: import
await import('file:///etc/passwd');
