// expect: thrown
// error: RangeError
(function down() { return down() + 1; })();
