// expect: timed_out
for (;;) new Date('2024-01-01T00:00:00Z').toISOString();
