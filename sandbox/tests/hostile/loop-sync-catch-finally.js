// expect: timed_out
// why: neither catch nor finally may delay a termination
for (;;) { try { for (;;) {} } catch {} finally { for (;;) {} } }
