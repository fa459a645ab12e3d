// expect: ok, timed_out, memory
// slow: yes
const rows = [@repeat(40000, "{ id: $n, row: [1, 2] },\n")];
