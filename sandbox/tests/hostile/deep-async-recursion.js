// expect: thrown, memory, timed_out
(async function f() { return await f(); })();
