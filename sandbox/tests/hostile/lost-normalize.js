// expect: ok, timed_out, memory, thrown, lost
'\u0344'.repeat(3e6).normalize('NFD').length;
