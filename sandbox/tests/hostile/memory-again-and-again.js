// expect: memory
// why: the second time must behave like the first
let rounds = 0;
for (;;) { try { const list = []; for (;;) list.push(new Array(100).fill(rounds)); } catch { rounds++; } }
