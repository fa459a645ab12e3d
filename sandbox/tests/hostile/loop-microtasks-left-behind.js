// expect: ok, timed_out
// why: the cell itself ends; what it queued must not live on in later cells
(async () => { for (;;) await null; })() && void 0;
