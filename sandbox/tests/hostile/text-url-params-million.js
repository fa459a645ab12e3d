// expect: ok, thrown, memory, timed_out
// value: 1
const params = new URLSearchParams('a=1&'.repeat(100000));
params.sort(); params.delete('b'); params.append('c', 'd');
for (const key of params.keys()) { params.delete('a'); break; }
return [...params].length;
