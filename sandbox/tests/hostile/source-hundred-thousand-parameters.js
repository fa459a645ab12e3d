// expect: ok, timed_out, syntax, lost
(function (@repeat(60000, "p$n,") last) {});
