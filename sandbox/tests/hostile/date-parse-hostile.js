// expect: ok
// value: 9
let count = 0;
for (const text of ['9'.repeat(1e5), 'T'.repeat(1e4), '2024-01-01T00:00:00' + '.9'.repeat(1e4), '(' .repeat(1e4), 'Jan '.repeat(1e4), '+999999-01-01', '\u0660'.repeat(100), '2024-01-01T00:00:00+99:99', '-'.repeat(1e4)]) { new Date(text); Date.parse(text); console.log(new Date(text)); count++; }
return count;
