// expect: ok
// value: caught 3
let caught = 0;
const down = () => down() + 1;
for (let i = 0; i < 3; i++) { try { down(); } catch (error) { if (error instanceof RangeError) caught++; } }
return 'caught ' + caught;
