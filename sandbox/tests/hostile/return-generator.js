// expect: ok
// value: {}
return (function* () { for (;;) yield 1; })();
