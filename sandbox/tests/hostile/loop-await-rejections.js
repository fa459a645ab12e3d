// expect: timed_out, memory
for (;;) { try { await Promise.reject(1); } catch {} }
