// expect: memory, timed_out
// slow: yes
// why: the errors are caught, and each flat string is kept
const held = [];
for (let n = 0; ; n++) { try { held.push(`${n}${'x'.repeat(2 ** (n % 2 ? 31 : 20))}`.toUpperCase()); } catch (error) { held.push(error); } }
