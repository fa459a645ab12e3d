// expect: memory, timed_out
const errors = [];
for (;;) { try { null.x; } catch (error) { errors.push(error, error.stack); } }
