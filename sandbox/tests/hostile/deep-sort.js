// expect: thrown
// error: RangeError
(function f() { [2, 1].sort(f); })();
