// expect: syntax
// error: nested
@repeat(100000, "1?2:") 3;
