// expect: memory, timed_out, lost
// why: the errors are caught, and what is kept grows
const held = [];
for (;;) { try { held.push(2n ** BigInt(2 ** (20 + held.length % 12))); } catch (error) { held.push(error); } }
