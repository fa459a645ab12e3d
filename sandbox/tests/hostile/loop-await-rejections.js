// expect: timed_out, memory, lost
for (;;) { try { await Promise.reject(1); } catch {} }
