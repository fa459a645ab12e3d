// expect: ok, timed_out
// why: jobs that the ended cell queued must not run in later cells
(async () => { for (;;) await null; })() && void 0;
