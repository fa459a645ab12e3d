// expect: timed_out
(function (x = (() => { for (;;) {} })()) {})();
