// expect: syntax
// error: nested
x = @repeat(50000, "class extends ") Object @repeat(50000, "{}");
