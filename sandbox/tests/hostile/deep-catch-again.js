// expect: thrown, timed_out
(function f() { try { f(); } catch { f(); } })();
