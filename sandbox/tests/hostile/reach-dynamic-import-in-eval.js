// expect: thrown, never_settles
await eval("import('ext:core/mod.js')");
