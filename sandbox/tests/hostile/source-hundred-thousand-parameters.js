// expect: ok, timed_out, syntax, lost, memory
(function (@repeat(60000, "p$n,") last) {});
