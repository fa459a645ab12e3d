// expect: thrown
// error: TypeError
return (function* () { for (;;) yield 1; })();
