// expect: thrown
// error: RangeError
(function f() { return [1].map(f); })();
