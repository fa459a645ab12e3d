// expect: thrown
// error: RangeError
(function f() { return 'a'.replace(/a/, f); })();
