// expect: timed_out
// why: neither catch nor finally may hold up a termination
for (;;) { try { for (;;) {} } catch {} finally { for (;;) {} } }
