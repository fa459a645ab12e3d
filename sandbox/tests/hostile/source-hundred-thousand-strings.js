// expect: ok, timed_out
[@repeat(100000, "'text $n',")];
