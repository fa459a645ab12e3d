// expect: thrown
// error: RangeError
(function f() { return Reflect.apply(f, null, []); })();
