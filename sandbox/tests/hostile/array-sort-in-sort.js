// expect: ok
// value: 4
const outer = [5, 3, 1, 4]; let depth = 0;
outer.sort((a, b) => { if (depth < 3) { depth++; outer.sort((x, y) => y - x); depth--; } return a - b; });
return outer.length;
