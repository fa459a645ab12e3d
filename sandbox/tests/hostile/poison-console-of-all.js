// expect: ok
// keeps: no
console = null;
log = console;
