// expect: ok, timed_out, memory
[@repeat(100000, "'text $n',")];
